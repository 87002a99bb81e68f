import { describe, expect, test } from "@jest/globals";
import { arrivalLine } from "./arrival-line.ts";
import { countDeaths, restartDelayMs } from "./back-off.ts";
import { readServiceLine } from "./log-lines.ts";

describe("the back-off of a service that dies", () => {
  test("doubles from half a second to half a minute", () => {
    expect([1, 2, 3, 7, 20].map(restartDelayMs)).toEqual([500, 1000, 2000, 30_000, 30_000]);
  });

  test("begins anew after a minute of life", () => {
    expect(countDeaths(4, 1000)).toBe(5);
    expect(countDeaths(4, 60_000)).toBe(1);
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

  test("does not hide a wrong signature", () => {
    expect(arrivalLine({ body, isSigned: false, arrivedAtMs })).toContain("SIGNATURE WRONG");
  });
});
