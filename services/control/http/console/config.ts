import { setting, settingsGroup, value } from "#runtime";

/** Read by control, and by who builds the console before it starts control. */
export const consoleSettings = settingsGroup({
  title: "Console",
  settings: {
    hasConsole: setting({
      env: "HOOKLINE_CONSOLE",
      type: value.flag,
      default: "on",
      doc: "Whether control serves the console under /console/.",
    }),
  },
});
