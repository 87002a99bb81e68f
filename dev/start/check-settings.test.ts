import { expect, test } from "@jest/globals";
import { SettingsError } from "#runtime";
import { checkSettings, unreadSettings } from "./check-settings.ts";

function problemsOf(environment: Record<string, string>): string[] {
  try {
    checkSettings("npm start", environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ env, problem }) => `${env} ${problem}`);
    throw error;
  }
  return [];
}

test("nothing has to be set", () => {
  expect(checkSettings("npm start", {}).start).toMatchObject({ demo: true, ingestPort: 8080 });
});

test("wrong settings of any service are named together, before anything is started", () => {
  const given = {
    HOOKLINE_DEMO: "maybe",
    HOOKLINE_ENCRYPTION_KEYS: "k1:hunter2",
    HOOKLINE_DEDUPE_WINDOW: "0s",
    HOOKLINE_INGEST_MAX_CONNECTIONS: "many",
    HOOKLINE_RETRY_DELAYS: "1m,10s",
    HOOKLINE_OPERATOR_WEBHOOK_URL: "nowhere",
    HOOKLINE_AUDIENCE_SYNC_RATE: "0",
    HOOKLINE_PROVISION_DEADLINE: "2",
    HOOKLINE_METRICS_PORT: "99999",
    HOOKLINE_LOG_LEVEL: "loud",
    HOOKLINE_CONTROL_HOST: "0.0.0.0",
  };
  const problems = problemsOf(given);
  expect(problems.map((problem) => problem.split(" ")[0]).sort()).toEqual(Object.keys(given).sort());
  expect(problems.join()).not.toContain("hunter2");
});

test("a wrong key says how one is made", () => {
  const [problem = ""] = problemsOf({ HOOKLINE_ENCRYPTION_KEYS: "secret" });
  expect(problem).toBe(
    'HOOKLINE_ENCRYPTION_KEYS item 1 is not id:base64 of 32 bytes; make one: echo "k$(openssl rand -hex 4):$(openssl rand -base64 32)"',
  );
});

test("the control API is not opened to a network without a token", () => {
  const problem =
    'HOOKLINE_CONTROL_HOST is not of this machine, but HOOKLINE_API_TOKENS has no token; make one: openssl rand -hex 24 (it is "0.0.0.0")';
  expect(problemsOf({ HOOKLINE_CONTROL_HOST: "0.0.0.0" })).toEqual([problem]);
  expect(problemsOf({ HOOKLINE_CONTROL_HOST: "0.0.0.0", HOOKLINE_API_TOKENS: "0123456789abcdef" })).toEqual(
    [],
  );
  expect(problemsOf({ HOOKLINE_CONTROL_HOST: "localhost" })).toEqual([]);
});

test("every port moves by one variable, and each by its own", () => {
  const portsOf = (environment: Record<string, string>) => {
    const { ingestPort, controlPort, metricsPort } = checkSettings("npm start", environment).start;
    return [ingestPort, controlPort, metricsPort];
  };
  expect(portsOf({ HOOKLINE_PORT_OFFSET: "100" })).toEqual([8180, 8190, 9501]);
  expect(portsOf({ HOOKLINE_PORT_OFFSET: "100", HOOKLINE_CONTROL_PORT: "0" })).toEqual([8180, 0, 9501]);
  expect(portsOf({ HOOKLINE_METRICS_PORT: "9500" })).toEqual([8080, 8090, 9500]);
  expect(problemsOf({ HOOKLINE_PORT_OFFSET: "57450" })).toEqual([
    "HOOKLINE_CONTROL_PORT and HOOKLINE_PORT_OFFSET together are above 65535",
    "HOOKLINE_METRICS_PORT and HOOKLINE_PORT_OFFSET together are above 65535",
  ]);
});

test("a variable that nothing reads is named, with the one that was meant", () => {
  expect(unreadSettings({ HOOKLINE_INGEST_PROT: "1", HOOKLINE_API_TOKENS_FILE: "/t" })).toEqual([
    "HOOKLINE_INGEST_PROT is not a setting; did you mean HOOKLINE_INGEST_PORT?",
  ]);
});
