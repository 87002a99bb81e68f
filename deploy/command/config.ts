import { SERVICES } from "#contract";
import { setting, settingsGroup, value } from "#runtime";

const controlSettings = settingsGroup({
  title: "hookline command",
  settings: {
    url: setting({
      env: "HOOKLINE_CONTROL_URL",
      type: value.httpUrl,
      default: `http://127.0.0.1:${SERVICES.control.port}`,
      doc: "Base URL of the control API that the commands ask.",
    }),
    token: setting({
      env: "HOOKLINE_CONTROL_TOKEN",
      type: value.text,
      secret: true,
      doc: "Bearer token that the commands send: one of those in HOOKLINE_API_TOKENS.",
    }),
  },
});

export const settings = { control: controlSettings };
