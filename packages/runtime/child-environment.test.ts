import { expect, test } from "@jest/globals";
import { serviceEnvironment, systemEnvironment } from "./child-environment.ts";
import { setting } from "./setting.ts";
import { settingsGroup } from "./settings.ts";
import { text } from "./value-types.ts";

const GIVEN = {
  PATH: "/bin",
  LC_ALL: "C",
  JAVA_HOME: "/java",
  HOOKLINE_JAVA_HOME: "/ours",
  HOOKLINE_ENCRYPTION_KEYS: "k:v",
  HOOKLINE_LOG_LEVEL: "info",
  HOOKLINE_A_FILE: "/a",
  HOOKLINE_B: "b",
  NODE_OPTIONS: "--max-old-space-size=1",
  GITHUB_TOKEN: "somebody's",
};

test("a program of somebody else gets the system's variables and those it is known to read, none of ours", () => {
  expect(systemEnvironment(GIVEN, /JAVA_HOME$/)).toEqual({ PATH: "/bin", LC_ALL: "C", JAVA_HOME: "/java" });
});

test("a service gets the settings that it declares, from files too", () => {
  const own = settingsGroup({
    title: "Own",
    settings: { a: setting({ env: "HOOKLINE_A", type: text, secret: true, doc: "A." }) },
  });
  expect(serviceEnvironment(GIVEN, { own })).toEqual({
    PATH: "/bin",
    LC_ALL: "C",
    HOOKLINE_LOG_LEVEL: "info",
    HOOKLINE_A_FILE: "/a",
    NODE_OPTIONS: "--max-old-space-size=1",
  });
});
