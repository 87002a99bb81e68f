import { setting, settingsGroup, value } from "#runtime";

export const regulationSettings = settingsGroup({
  title: "Regulations",
  settings: {
    notificationsPerSecond: setting({
      env: "HOOKLINE_REGULATION_RATE",
      type: value.integer({ min: 1, max: 100_000 }),
      default: "200",
      doc: "Delete notifications a second that one process writes for all its regulations, so that calls keep their latency.",
    }),
  },
});
