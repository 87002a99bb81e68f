import { formatDuration } from "#contract";
import { clusterSettings, provisionSettings, setting, settingsGroup, value } from "#runtime";
import { KEPT_MS } from "#topics";

const deadlineSettings = settingsGroup({
  title: "Provisioning",
  settings: {
    deadlineMs: setting({
      env: "HOOKLINE_PROVISION_DEADLINE",
      type: value.duration,
      default: "2m",
      doc: "How long to wait for Kafka and the schema registry.",
    }),
    profileEventsKeptMs: setting({
      env: "HOOKLINE_PROFILE_EVENTS_RETENTION",
      type: value.duration,
      default: formatDuration(KEPT_MS.profileEvents),
      doc: "How long the calls of profiles are kept, and so how far a new audience can look back. They take about the size of the calls.",
    }),
    raiseRetention: setting({
      env: "HOOKLINE_PROVISION_RAISE_RETENTION",
      type: value.flag,
      default: "false",
      doc: "Raises the retention of existing topics that is shorter than this version needs.",
    }),
  },
});

export const settings = {
  ...clusterSettings,
  creation: provisionSettings,
  provisioning: deadlineSettings,
};
