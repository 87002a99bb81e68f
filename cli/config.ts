import { SERVICES } from "#contract";
import { setting, settingsGroup, value } from "#runtime";

const HIGHEST_PORT = 65_535;

const controlSettings = settingsGroup({
  title: "hookline command",
  settings: {
    url: setting({
      env: "HOOKLINE_CONTROL_URL",
      type: value.httpUrl,
      doc: `Base URL of the control API that the commands ask; unset: http://127.0.0.1:${SERVICES.control.port}, the port moved by HOOKLINE_PORT_OFFSET.`,
    }),
    portOffset: setting({
      env: "HOOKLINE_PORT_OFFSET",
      type: value.integer({ min: 0, max: HIGHEST_PORT - SERVICES.control.port }),
      default: "0",
      doc: "As `npm start` has it, so that its control API is asked.",
    }),
    token: setting({
      env: "HOOKLINE_CONTROL_TOKEN",
      type: value.text,
      secret: true,
      doc: "Bearer token that the commands send: one of those in HOOKLINE_API_TOKENS.",
    }),
  },
  build: ({ url, portOffset, ...rest }) => ({
    ...rest,
    url: url ?? `http://127.0.0.1:${SERVICES.control.port + portOffset}`,
  }),
});

export const settings = { control: controlSettings };
