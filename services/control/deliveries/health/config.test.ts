import { expect, test } from "@jest/globals";
import { readSettings } from "#runtime";
import { healthSettings } from "./config.ts";

const read = (environment: Readonly<Record<string, string>>) =>
  readSettings({ health: healthSettings }, { processName: "control", environment }).health;

test("a destination is failing after ten seconds and well again after a minute, unless told otherwise", () => {
  expect(read({})).toEqual({ failingAfterMs: 10_000, recoveredAfterMs: 60_000 });
  const others = { HOOKLINE_FAILING_AFTER: "5m", HOOKLINE_RECOVERED_AFTER: "2h" };
  expect(read(others)).toMatchObject({ failingAfterMs: 300_000, recoveredAfterMs: 7_200_000 });
});

test("the operator's webhook is an http(s) URL; its secret is taken from the environment or a file", () => {
  const operator = {
    HOOKLINE_OPERATOR_WEBHOOK_URL: "https://a.test/x",
    HOOKLINE_OPERATOR_WEBHOOK_SECRET: "whsec_x",
  };
  expect(read(operator)).toMatchObject({ operatorUrl: "https://a.test/x", operatorSecret: "whsec_x" });
  expect(healthSettings.settings.find(({ env }) => env === "HOOKLINE_OPERATOR_WEBHOOK_SECRET")?.secret).toBe(
    true,
  );
  for (const url of ["ftp://a.test", "nowhere"])
    expect(() => read({ HOOKLINE_OPERATOR_WEBHOOK_URL: url })).toThrow("HOOKLINE_OPERATOR_WEBHOOK_URL");
});
