import { setting, settingsGroup, value } from "#runtime";

export const connectionSyncSettings = settingsGroup({
  title: "Destinations that are connected later",
  settings: {
    callsPerSecond: setting({
      env: "HOOKLINE_CONNECTION_SYNC_RATE",
      type: value.integer({ min: 1, max: 100_000 }),
      default: "500",
      doc: "Identify calls a second that one process writes for destinations that are connected later.",
    }),
  },
});

export const deletedAudienceSettings = settingsGroup({
  title: "Deleted audiences",
  settings: {
    keptMs: setting({
      env: "HOOKLINE_DELETED_AUDIENCE_RETENTION",
      type: value.duration,
      default: "7d",
      doc: "How long records and imports of a deleted audience, list or computed trait are kept.",
    }),
  },
});

export const importSettings = settingsGroup({
  title: "Imports",
  settings: {
    changesPerSecond: setting({
      env: "HOOKLINE_IMPORT_RATE",
      type: value.integer({ min: 1, max: 100_000 }),
      default: "5000",
      doc: "Members a second that one process puts on imported lists, or takes off.",
    }),
  },
});

export const regulationSettings = settingsGroup({
  title: "Regulations",
  settings: {
    notificationsPerSecond: setting({
      env: "HOOKLINE_REGULATION_RATE",
      type: value.integer({ min: 1, max: 100_000 }),
      default: "200",
      doc: "Delete notifications a second that one process writes for all its regulations.",
    }),
  },
});
