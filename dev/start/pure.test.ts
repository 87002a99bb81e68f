import { describe, expect, test } from "@jest/globals";
import type { ServiceName } from "#contract";
import { arrivalLine } from "../../cli/demo/arrival-line.ts";
import { environmentOf } from "../../cli/service-settings.ts";
import { startedServices } from "../../cli/started-services.ts";
import { printable, printableLines } from "../../cli/terminal-text.ts";
import { readServiceLine } from "./log-lines.ts";
import { countDeaths, restartDelayMs } from "./supervised-service.ts";

describe("the back-off of a service that dies", () => {
  test("doubles from half a second to half a minute", () => {
    expect([1, 2, 3, 7, 20].map(restartDelayMs)).toEqual([500, 1000, 2000, 30_000, 30_000]);
  });

  test("begins anew after a minute of life", () => {
    expect(countDeaths(4, 1000)).toBe(5);
    expect(countDeaths(4, 60_000)).toBe(1);
  });
});

describe("the services that are started", () => {
  test("are all of them, unless audiences are off", () => {
    const all = ["control", "audience-processor", "deliverer", "webhook-router", "ingest"];
    expect(startedServices({})).toEqual(all);
    expect(startedServices({ HOOKLINE_AUDIENCES: "on" })).toEqual(all);
    const others = all.filter((name) => name !== "audience-processor");
    expect(startedServices({ HOOKLINE_AUDIENCES: "off" })).toEqual(others);
  });

  test("are none while it is not clear which", () => {
    expect(() => startedServices({ HOOKLINE_AUDIENCES: "of" })).toThrow("HOOKLINE_AUDIENCES");
  });
});

describe("a line of a service", () => {
  test("that says ready carries the ports", () => {
    const line = '{"level":"info","service":"ingest","ingestPort":8080,"metricsPort":9401,"msg":"ready"}';
    expect(readServiceLine(line)).toEqual({ kind: "ready", ports: { ingestPort: 8080, metricsPort: 9401 } });
  });

  test("below WARN is only kept", () => {
    expect(readServiceLine('{"level":"info","msg":"stopping"}')).toEqual({ kind: "keep" });
  });

  test("from WARN on is shown with its error", () => {
    expect(readServiceLine('{"level":"warn","msg":"kafka is away","err":{"message":"refused"}}')).toEqual({
      kind: "show",
      text: "WARN kafka is away: refused",
      severity: "warn",
    });
  });

  test("names the destination, the endpoint and the error that it is about", () => {
    const line = {
      level: "warn",
      time: "2026-01-01T00:00:00.000Z",
      service: "deliverer",
      destinationId: "dst_1",
      messageId: "m1",
      endpoint: "https://hooks.test",
      reason: "http_5xx",
      attempt: 1,
      error: "status 503",
      heldBack: 0,
      msg: "webhook did not take a call",
    };
    expect(readServiceLine(JSON.stringify(line))).toMatchObject({
      text: "WARN webhook did not take a call (destinationId dst_1, messageId m1, endpoint https://hooks.test, reason http_5xx, attempt 1, error status 503)",
    });
    const failed = {
      level: "error",
      msg: "a profile cannot be read",
      partition: 0,
      offset: "17",
      err: { message: "a\nb" },
    };
    expect(readServiceLine(JSON.stringify(failed))).toMatchObject({
      text: "ERROR a profile cannot be read: a b (partition 0, offset 17)",
    });
  });

  test("does not fill the screen with what somebody else wrote", () => {
    const line = JSON.stringify({ level: "warn", msg: "no", error: "x".repeat(5_000), nested: { a: 1 } });
    expect(readServiceLine(line)).toMatchObject({ text: `WARN no (error ${"x".repeat(200)}…)` });
  });

  test("that is no log line is shown as it is", () => {
    expect(readServiceLine("SyntaxError: x")).toEqual({
      kind: "show",
      text: "SyntaxError: x",
      severity: "error",
    });
    expect(readServiceLine("42")).toEqual({ kind: "show", text: "42", severity: "error" });
  });
});

describe("the line of an arrival", () => {
  const arrivedAtMs = Date.parse("2026-01-01T00:00:00.012Z");
  const body = { type: "track", event: "Signed Up", userId: "ada", receivedAt: "2026-01-01T00:00:00.007Z" };

  test("tells type, name, user, signature and latency", () => {
    expect(arrivalLine({ body, isSigned: true, arrivedAtMs }).split(/ {2,}/)).toEqual([
      "",
      "track",
      "Signed Up",
      "ada",
      "signature ok",
      "5 ms",
    ]);
  });

  test("shows what an audience says of a user", () => {
    const audience = { context: { personas: { computation_key: "vips" } }, traits: { vips: false } };
    const line = arrivalLine({
      body: { type: "identify", userId: "u", ...audience },
      isSigned: true,
      arrivedAtMs,
    });
    expect(line).toMatch(/^ {2}identify +vips: false +u +signature ok/);
  });

  test("does not hide a wrong signature", () => {
    expect(arrivalLine({ body, isSigned: false, arrivedAtMs })).toContain("SIGNATURE WRONG");
  });
});

describe("what is printed", () => {
  const ESC = "\u001b";

  test.each([
    ["colours", `${ESC}[31mred${ESC}[0m`, "red"],
    ["a cleared screen", `a${ESC}[2J${ESC}[Hb`, "ab"],
    ["a window's title", `a${ESC}]0;pwned\u0007b`, "ab"],
    ["a link", `${ESC}]8;;http://evil.test${ESC}\\text${ESC}]8;;${ESC}\\`, "text"],
    ["a sequence without end", `a${ESC}]0;${"x".repeat(100_000)}`, "a"],
    ["an escape alone", `a${ESC}`, "a"],
    ["C1", "a\u009b31mb\u0090c\u0085d", "abc d"],
    ["C0", "a\u0000\u0007\u0008\u007fb", "ab"],
    ["a carriage return, which would write over the line", "a\rb", "a b"],
    ["text that runs the other way", "a\u202egnp.exe\u2066b\u200fc", "agnp.exebc"],
    ["letters of any language and tabs", "é 漢 🎉\tx", "é 漢 🎉 x"],
  ])("keeps no %s", (_what, given, shown) => {
    expect(printable(given)).toBe(shown);
  });

  test("keeps the line breaks of our own lines, and lets no call or service make one", () => {
    expect(printableLines("one\ntwo\u0007")).toBe("one\ntwo");
    const body = { type: "track", event: "x\nHookline is ready: ingest http://evil.test", userId: "a" };
    expect(arrivalLine({ body, isSigned: true, arrivedAtMs: 0 })).not.toContain("\n");
    const line = JSON.stringify({
      level: "error",
      msg: "a\nHookline is ready",
      err: { message: `${ESC}[2Jb` },
    });
    expect(readServiceLine(line)).toMatchObject({ text: "ERROR a Hookline is ready: b" });
  });

  test("shows no password of a service's URLs", () => {
    expect(readServiceLine("TypeError: http://user:s3cr3t@registry/ is away")).toMatchObject({
      text: "TypeError: http://***@registry/ is away",
    });
  });
});

describe("a service's environment", () => {
  const given = {
    PATH: "/bin",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
    AWS_SECRET_ACCESS_KEY: "not ours",
    HOOKLINE_ENCRYPTION_KEYS: "k:v",
    HOOKLINE_API_TOKENS_FILE: "/tokens",
    HOOKLINE_KAFKA_SASL_PASSWORD: "p",
    HOOKLINE_KAFKA_BROKERS: "a:1",
    HOOKLINE_METRICS_PORT: "0",
    HOOKLINE_OPERATOR_WEBHOOK_SECRET: "s",
  };
  const secretsOf = (service: ServiceName) =>
    Object.keys(environmentOf(service, given)).filter((name) => /KEYS|TOKENS|SECRET/.test(name));

  test("has the keys only where secrets are opened, and nothing that it does not read", () => {
    expect(secretsOf("ingest")).toEqual([]);
    expect(secretsOf("webhook-router")).toEqual([]);
    expect(secretsOf("deliverer")).toEqual(["HOOKLINE_ENCRYPTION_KEYS"]);
    expect(secretsOf("control")).toEqual([
      "HOOKLINE_ENCRYPTION_KEYS",
      "HOOKLINE_API_TOKENS_FILE",
      "HOOKLINE_OPERATOR_WEBHOOK_SECRET",
    ]);
    expect(environmentOf("ingest", given)).toEqual({
      PATH: "/bin",
      NODE_EXTRA_CA_CERTS: "/ca.pem",
      HOOKLINE_KAFKA_SASL_PASSWORD: "p",
      HOOKLINE_KAFKA_BROKERS: "a:1",
      HOOKLINE_METRICS_PORT: "0",
    });
  });
});
