import { describe, expect, test } from "@jest/globals";
import {
  deadCallOf,
  deliveryOf,
  disturbance,
  GONE_CALL,
  ledgerOf,
  SLOW_CALL,
  sentCallOf,
} from "./fixtures/ledger.ts";
import type { Ledger } from "./ledger.ts";
import { isConserved, reportLines, reportOf } from "./report.ts";

function report(parts: Partial<Ledger>, stallP99Ms = 12) {
  const result = {
    ledger: ledgerOf(parts),
    refusals: new Map([[503, 2]]),
    durationMs: 61_000,
    stallMs: { p99: stallP99Ms, max: 340 },
  };
  return reportOf(result, { seed: 7, callsPerSecond: 50 });
}

const sent = [SLOW_CALL, GONE_CALL].map((call) => sentCallOf(call));

describe("the report", () => {
  test("of a loss names it and says what to do with it", () => {
    const found = report({ sent, attempts: [deliveryOf(SLOW_CALL)] });
    expect(isConserved(found)).toBe(false);
    const lines = reportLines(found);
    expect(lines).toContain("LOST (1):");
    expect(lines).toContain("  call-18 → gone");
    expect(lines.at(-1)).toContain("CALLS ARE LOST, ALTERED OR DEAD WITHOUT REASON");
  });

  test("of an alteration names it", () => {
    const attempts = [deliveryOf(SLOW_CALL, { alteration: "the signature is wrong" })];
    const found = report({ sent, attempts });
    expect(isConserved(found)).toBe(false);
    expect(reportLines(found)).toContain("  request call-8 → slow: the signature is wrong");
  });

  test("of a call that died for want of time holds it against a machine that had time only", () => {
    const dead = [deadCallOf(SLOW_CALL, "not_asked: diverted")];
    const parts = { sent: sent.slice(0, 1), dead };
    expect([report(parts).starved.length, isConserved(report(parts))]).toEqual([1, false]);
    expect([report(parts, 400).starved.length, isConserved(report(parts, 400))]).toEqual([1, true]);
  });

  test("of a call that died at an endpoint that takes every call names it", () => {
    const found = report({ sent: sent.slice(0, 1), dead: [deadCallOf(SLOW_CALL, "window_over: timeout")] });
    expect(isConserved(found)).toBe(false);
    expect(reportLines(found)).toContain("  call-8 → slow: window_over: timeout");
  });

  test("of a run in which nothing is missing says so, with a row for each destination, and is plain JSON", () => {
    const found = report({
      sent: sent.slice(0, 1),
      attempts: [deliveryOf(SLOW_CALL)],
      disturbances: [disturbance({ kind: "scale", deliverers: 3 })],
    });
    expect(isConserved(found)).toBe(true);
    const lines = reportLines(found);
    expect(lines[0]).toBe("seed 7, 50 calls/s, 61 s; events: scale 1");
    expect(lines.find((line) => line.startsWith("slow"))?.split(/ +/)).toEqual([
      ...["slow", "1", "1", "0", "0", "0", "1"],
    ]);
    expect(lines.at(-1)).toBe("Every acknowledged call is accounted for.");
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  });
});
