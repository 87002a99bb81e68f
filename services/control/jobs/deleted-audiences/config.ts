import { setting, settingsGroup, value } from "#runtime";

export const deletedAudienceSettings = settingsGroup({
  title: "Deleted audiences",
  settings: {
    keptMs: setting({
      env: "HOOKLINE_DELETED_AUDIENCE_RETENTION",
      type: value.duration,
      default: "7d",
      doc: "How long records and imports of a deleted audience, list or computed trait are kept. Its key stays used for ever.",
    }),
  },
});
