import { setting, settingsGroup, value } from "#runtime";

export const indexSettings = settingsGroup({
  title: "Delivery index",
  settings: {
    maxRows: setting({
      env: "HOOKLINE_INDEX_MAX_ROWS",
      type: value.integer({ min: 1_000, max: 1_000_000_000 }),
      default: "2000000",
      doc: "How many attempts can be looked up, and as many statistics, dead letters and recorded calls; the oldest leave first. About 600 bytes of disk each.",
    }),
  },
});
