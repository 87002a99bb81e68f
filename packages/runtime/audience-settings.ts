// Whether a deployment has audiences.
import { setting } from "./setting.ts";
import { settingsGroup } from "./settings.ts";
import { flag } from "./value-types.ts";

/** Read by those that keep audiences, show them, or start who keeps them. */
export const audienceSwitch = settingsGroup({
  title: "Audiences on or off",
  settings: {
    hasAudiences: setting({
      env: "HOOKLINE_AUDIENCES",
      type: flag,
      default: "on",
      doc: "Whether there are audiences and computed traits. off: no audience processor is needed, and the control API answers 409 to what is about them.",
    }),
  },
});
