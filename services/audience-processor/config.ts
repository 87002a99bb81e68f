import {
  dataDirSettings,
  kafkaSettings,
  registrySettings,
  setting,
  settingsGroup,
  topicSettings,
  value,
} from "#runtime";

const audienceSettings = settingsGroup({
  title: "Audiences",
  settings: {
    syncPerSecond: setting({
      env: "HOOKLINE_AUDIENCE_SYNC_RATE",
      type: value.integer({ min: 1, max: 1_000_000 }),
      default: "500",
      doc: "Identify calls a second by which one process tells of the members of new and edited audiences; live calls are not held back.",
    }),
  },
});

export const settings = {
  kafka: kafkaSettings,
  registry: registrySettings,
  topics: topicSettings,
  data: dataDirSettings,
  audiences: audienceSettings,
};
