import {
  audiencePace,
  audienceSwitch,
  clusterSettings,
  dataDirSettings,
  setting,
  settingsGroup,
  value,
} from "#runtime";

const audienceSettings = settingsGroup({
  title: "Audiences",
  settings: {
    syncPerSecond: setting({
      env: "HOOKLINE_AUDIENCE_SYNC_RATE",
      type: value.integer({ min: 1, max: 1_000_000 }),
      default: "500",
      doc: "Identify calls a second that one process writes for members of new and edited audiences.",
    }),
    profileMegabytes: setting({
      env: "HOOKLINE_AUDIENCE_PROFILE_MB",
      type: value.integer({ min: 16, max: 1_000_000 }),
      default: "256",
      doc: "Megabytes of memory, about, for the profiles that one process used last.",
    }),
    anonymousRetentionMs: setting({
      env: "HOOKLINE_ANONYMOUS_RETENTION",
      type: value.durationOrOff,
      default: "395d",
      doc: "How long the profile of an anonymous id without a user is kept after its last call; its memberships then end. Unused links to users go after one and a half times as long. `off` or 0: for ever.",
    }),
  },
});

export const settings = {
  ...clusterSettings,
  data: dataDirSettings,
  audiences: audienceSettings,
  pace: audiencePace,
  switch: audienceSwitch,
};
