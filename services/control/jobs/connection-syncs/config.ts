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
