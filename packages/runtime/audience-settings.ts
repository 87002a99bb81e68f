// Whether a deployment has audiences, and how fast they are prepared.
import { setting } from "./setting.ts";
import { settingsGroup } from "./settings.ts";
import { flag, integer } from "./value-types.ts";

/** Read by those that keep audiences, show them, or start who keeps them. */
export const audienceSwitch = settingsGroup({
  title: "Audiences on or off",
  settings: {
    hasAudiences: setting({
      env: "HOOKLINE_AUDIENCES",
      type: flag,
      default: "on",
      doc: "Whether there are audiences and computed traits. off: there is no audience processor, and the control API answers 409 about them.",
    }),
  },
});

/** Read by those that read the log again, and by who says how long that takes. */
export const audiencePace = settingsGroup({
  title: "Preparation of audiences",
  settings: {
    backfillPerSecond: setting({
      env: "HOOKLINE_AUDIENCE_BACKFILL_RATE",
      type: integer({ min: 1, max: 10_000_000 }),
      default: "20000",
      doc: "Events a second that one process reads again from the log for new conditions that look back. Control computes from it how long that takes.",
    }),
  },
});
