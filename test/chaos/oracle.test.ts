// That the oracle can fail: losses, duplicates and alterations made by hand.
import { describe, expect, test } from "@jest/globals";
import {
  deadCallOf,
  deliveryOf,
  FAILING_CALL,
  GONE_CALL,
  HEALTHY_CALL,
  ledgerOf,
  SLOW_CALL,
  sentCallOf,
} from "./fixtures/ledger.ts";
import { accountFor, isSettled } from "./oracle.ts";

const both = [deliveryOf(HEALTHY_CALL), deliveryOf(HEALTHY_CALL, { destination: "healthy-b" })];

describe("an account of every acknowledged call", () => {
  test("of a run in which all went well has every call once at each of its destinations, or dead", () => {
    const account = accountFor(
      ledgerOf({
        sent: [HEALTHY_CALL, SLOW_CALL, GONE_CALL].map((call) => sentCallOf(call)),
        attempts: [...both, deliveryOf(SLOW_CALL), deliveryOf(GONE_CALL, { isTaken: false })],
        dead: [deadCallOf(GONE_CALL)],
      }),
    );
    expect(account).toMatchObject({
      calls: { sent: 3, acknowledged: 3 },
      total: { due: 4, once: 3, repeated: 0, dead: 1, lost: 0, attempts: 4 },
      extraDeliveries: 0,
      lost: [],
      altered: [],
    });
    expect([...account.deadByReason]).toEqual([["permanent", 1]]);
    expect(account.byDestination.get("gone")).toMatchObject({ due: 1, dead: 1, attempts: 1 });
  });

  test("names a call that arrived nowhere, and where it is missing", () => {
    const account = accountFor(ledgerOf({ sent: [sentCallOf(SLOW_CALL)] }));
    expect(account.lost).toEqual(["call-8 → slow"]);
    expect(account.total).toMatchObject({ due: 1, lost: 1, once: 0 });
  });

  test("names a call that only one of its two destinations got", () => {
    const ledger = ledgerOf({ sent: [sentCallOf(HEALTHY_CALL)], attempts: [deliveryOf(HEALTHY_CALL)] });
    expect(accountFor(ledger).lost).toEqual(["call-0 → healthy-b"]);
    expect(isSettled(ledger)).toBe(false);
    expect(isSettled({ ...ledger, attempts: both })).toBe(true);
  });

  test("takes a call whose every attempt failed and that is not in the dead letters for lost", () => {
    const attempts = [1, 2, 3].map((atMs) => deliveryOf(FAILING_CALL, { atMs, isTaken: false }));
    const ledger = ledgerOf({ sent: [sentCallOf(FAILING_CALL)], attempts });
    expect(accountFor(ledger).lost).toEqual(["call-19 → failing"]);
    const dead = [deadCallOf(FAILING_CALL, "window_over")];
    const found = accountFor({ ...ledger, dead });
    expect(found).toMatchObject({ lost: [], total: { dead: 1, lost: 0 }, deadUnasked: 0 });
    expect(accountFor({ ...ledger, dead, attempts: [] }).deadUnasked).toBe(1);
  });

  test("counts deliveries beyond the first, and calls that were delivered and dead-lettered too", () => {
    const account = accountFor(
      ledgerOf({
        sent: [sentCallOf(SLOW_CALL)],
        attempts: [1, 2, 3].map((atMs) => deliveryOf(SLOW_CALL, { atMs })),
        dead: [deadCallOf(SLOW_CALL)],
      }),
    );
    expect(account.total).toMatchObject({ once: 0, repeated: 1, dead: 0, lost: 0 });
    expect(account).toMatchObject({ extraDeliveries: 2, deliveredAndDead: 1 });
  });

  test("does not miss a call that was never acknowledged, and counts it when it came all the same", () => {
    const { acknowledgedAtMs: _, ...unacknowledged } = sentCallOf(SLOW_CALL);
    const ledger = ledgerOf({ sent: [unacknowledged] });
    expect(accountFor(ledger)).toMatchObject({ lost: [], total: { due: 0 }, unacknowledgedSeen: 0 });
    const attempts = [deliveryOf(SLOW_CALL)];
    expect(accountFor({ ...ledger, attempts })).toMatchObject({
      lost: [],
      altered: [],
      unacknowledgedSeen: 1,
    });
  });

  test("names a delivery that differs from what was sent, and does not take it for the call", () => {
    const ledger = ledgerOf({
      sent: [sentCallOf(SLOW_CALL)],
      attempts: [deliveryOf(SLOW_CALL, { alteration: "the body differs" })],
    });
    expect(accountFor(ledger)).toMatchObject({
      altered: ["request call-8 → slow: the body differs"],
      lost: ["call-8 → slow"],
    });
  });

  test("names calls that nobody sent, or that came to somebody else, in the dead letters too", () => {
    const { altered } = accountFor(
      ledgerOf({
        sent: [sentCallOf(SLOW_CALL)],
        attempts: [
          deliveryOf(SLOW_CALL),
          deliveryOf(SLOW_CALL, { destination: "gone" }),
          { destination: "gone", process: "", atMs: 1, isTaken: true },
        ],
        dead: [deadCallOf(GONE_CALL), { reason: "undecodable", alteration: "the body is no JSON" }],
      }),
    );
    expect(altered).toEqual([
      "request call-8 → gone: nobody sent it there",
      "request at gone: nobody sent it there",
      "dead letter call-18 → gone: nobody sent it there",
      "dead letter at undefined: the body is no JSON",
    ]);
  });

  const accountOfDead = (call: number, reason: string, attempts: number) =>
    accountFor(
      ledgerOf({
        sent: [sentCallOf(call)],
        attempts: Array.from({ length: attempts }, () => deliveryOf(call, { isTaken: false })),
        dead: [deadCallOf(call, reason)],
      }),
    );

  test("names what died for a reason that its endpoint does not give", () => {
    const died = (call: number, reason: string, attempts: number) =>
      accountOfDead(call, reason, attempts).unexplained;
    expect(died(SLOW_CALL, "not_asked: http_5xx", 1)).toEqual(["call-8 → slow: not_asked: http_5xx"]);
    expect(died(SLOW_CALL, "window_over: diverted", 0)).toHaveLength(1);
    expect(died(SLOW_CALL, "permanent: http_4xx", 1)).toHaveLength(1);
    expect(died(GONE_CALL, "window_over: http_5xx", 1)).toHaveLength(1);
    expect(died(FAILING_CALL, "permanent: http_4xx", 1)).toHaveLength(1);
    expect(died(FAILING_CALL, "window_over: diverted", 0)).toHaveLength(1);
    expect(died(GONE_CALL, "permanent: http_4xx", 1)).toEqual([]);
    expect(died(FAILING_CALL, "window_over: diverted", 1)).toEqual([]);
    expect(died(FAILING_CALL, "window_over: http_5xx", 0)).toEqual([]);
    expect(died(FAILING_CALL, "not_asked: diverted", 0)).toEqual([]);
  });

  test("counts apart what a machine that is too small for the run did not ask in time", () => {
    const starved = (reason: string, attempts: number) => {
      const account = accountOfDead(SLOW_CALL, reason, attempts);
      return [account.starved.length, account.unexplained.length];
    };
    expect(starved("not_asked: diverted", 0)).toEqual([1, 0]);
    expect(starved("window_over: timeout", 1)).toEqual([1, 0]);
    expect(starved("window_over: reset", 1)).toEqual([1, 0]);
    expect(starved("window_over: timeout", 0)).toEqual([0, 1]);
    expect(starved("permanent: http_4xx", 1)).toEqual([0, 1]);
    expect(accountOfDead(FAILING_CALL, "not_asked: diverted", 0).starved).toEqual([]);
  });
});
