import { setting, settingsGroup, value } from "#runtime";

export const importSettings = settingsGroup({
  title: "Imports",
  settings: {
    changesPerSecond: setting({
      env: "HOOKLINE_IMPORT_RATE",
      type: value.integer({ min: 1, max: 100_000 }),
      default: "5000",
      doc: "Members a second that one process puts on imported lists, or takes off them, each with an identify call.",
    }),
  },
});
