// That the figures show what went wrong: duplicates, slow takeovers, processes that go on too long, calls out of order.
import { describe, expect, test } from "@jest/globals";
import type { ChaosEvent } from "./events.ts";
import { duplicatesOf, lateWork, orderOf, spreadOf, takeoversOf } from "./findings.ts";
import { deliveryOf, disturbance, FAILING_CALL, ledgerOf, SLOW_CALL, sentCallOf } from "./fixtures/ledger.ts";

const target = { service: "deliverer", index: 0 } as const;
const KILL: ChaosEvent = { kind: "kill", target, backAfterMs: 9_000 };
const FREEZE: ChaosEvent = { kind: "freeze", target, forMs: 9_000 };
const CUT: ChaosEvent = { kind: "cut", target, how: "silent", forMs: 9_000 };
const ONE = "deliverer-1.1";
const TWO = "deliverer-2.1";
/** Slow calls of one user. */
const [FIRST, SECOND, THIRD] = [8, 9, 48] as const;

describe("duplicates", () => {
  const sent = [sentCallOf(SLOW_CALL)];

  test("are laid to the event that they lie near, by the same or by another process", () => {
    const attempts = [
      deliveryOf(SLOW_CALL, { atMs: 900, process: ONE }),
      deliveryOf(SLOW_CALL, { atMs: 8_900, process: TWO }),
    ];
    const found = duplicatesOf(ledgerOf({ sent, attempts, disturbances: [disturbance(KILL)] }));
    expect([...found.byEvent]).toEqual([["kill -9 deliverer-1", 1]]);
    expect(found).toMatchObject({
      farFromEvents: 0,
      byAnotherProcess: 1,
      spread: { count: 1, maxMs: 8_000 },
    });
  });

  test("far from every event are told apart", () => {
    const attempts = [deliveryOf(SLOW_CALL, { atMs: 100_000 }), deliveryOf(SLOW_CALL, { atMs: 100_500 })];
    const found = duplicatesOf(ledgerOf({ sent, attempts, disturbances: [disturbance(KILL)] }));
    expect(found).toMatchObject({ farFromEvents: 1, byAnotherProcess: 0 });
  });

  test("are no attempts that were refused", () => {
    const attempts = [
      deliveryOf(FAILING_CALL, { isTaken: false }),
      deliveryOf(FAILING_CALL, { atMs: 100_000 }),
    ];
    const found = duplicatesOf(ledgerOf({ sent: [sentCallOf(FAILING_CALL)], attempts }));
    expect(found.spread.count).toBe(0);
  });
});

describe("a takeover after a kill", () => {
  const sent = [FIRST, SECOND, THIRD].map((call) => sentCallOf(call, { user: call === THIRD ? "b" : "a" }));
  const killed = disturbance(KILL, { fromMs: 5_000, toMs: 15_000, process: ONE });

  test("lasts from the kill to the next delivery by somebody else of a call of the same users", () => {
    const attempts = [
      deliveryOf(FIRST, { atMs: 4_000, process: ONE }),
      deliveryOf(SECOND, { atMs: 12_500, process: TWO }),
      deliveryOf(THIRD, { atMs: 4_900, process: TWO }),
    ];
    const found = takeoversOf(ledgerOf({ sent, attempts, disturbances: [killed] }));
    expect(found).toMatchObject([{ users: 1, firstMs: 7_500, medianMs: 7_500, lastMs: 7_500 }]);
  });

  test("of nobody's users is said to be one of none", () => {
    const attempts = [deliveryOf(FIRST, { atMs: 4_000, process: TWO })];
    expect(takeoversOf(ledgerOf({ sent, attempts, disturbances: [killed] }))).toMatchObject([{ users: 0 }]);
  });
});

describe("a process that has lost its partitions without knowing", () => {
  const sent = [sentCallOf(SLOW_CALL)];
  const attempts = [
    deliveryOf(SLOW_CALL, { atMs: 8_000, process: TWO }),
    deliveryOf(SLOW_CALL, { atMs: 11_500, process: ONE }),
  ];
  const away = (event: ChaosEvent) => disturbance(event, { fromMs: 1_000, toMs: 11_000, process: ONE });

  test("is two at work for as long as it goes on after the other began", () => {
    expect(lateWork(ledgerOf({ sent, attempts, disturbances: [away(CUT)] }))).toEqual({
      deliveries: 1,
      longestMs: 3_500,
    });
  });

  test("is at work from its thaw on when it was frozen", () => {
    expect(lateWork(ledgerOf({ sent, attempts, disturbances: [away(FREEZE)] }))).toEqual({
      deliveries: 1,
      longestMs: 500,
    });
  });

  test("is rightly at work again when it has been back for a while", () => {
    const rejoined = [...attempts.slice(0, 1), deliveryOf(SLOW_CALL, { atMs: 17_000, process: ONE })];
    expect(lateWork(ledgerOf({ sent, attempts: rejoined, disturbances: [away(CUT)] })).deliveries).toBe(0);
  });

  test("is rightly at work again when the other one went before it could say what it had done", () => {
    const gone = disturbance(FREEZE, { fromMs: 9_000, toMs: 20_000, process: TWO });
    expect(lateWork(ledgerOf({ sent, attempts, disturbances: [away(CUT), gone] })).deliveries).toBe(0);
    const lasting = { ...gone, fromMs: 5_000 };
    expect(lateWork(ledgerOf({ sent, attempts, disturbances: [away(CUT), lasting] })).deliveries).toBe(0);
    const before = { ...lasting, toMs: 6_000 };
    expect(lateWork(ledgerOf({ sent, attempts, disturbances: [away(CUT), before] })).deliveries).toBe(1);
  });

  test("has done nothing late when it delivered first", () => {
    const early = [deliveryOf(SLOW_CALL, { atMs: 900, process: ONE }), ...attempts.slice(0, 1)];
    expect(lateWork(ledgerOf({ sent, attempts: early, disturbances: [away(CUT)] })).deliveries).toBe(0);
  });
});

describe("order", () => {
  const sent = [FIRST, SECOND].map((call, index) =>
    sentCallOf(call, { user: "a", sentAtMs: 100_000 + 100 * index, acknowledgedAtMs: 100_010 + 100 * index }),
  );
  const arrivals = (firstAtMs: number, secondAtMs: number) => [
    deliveryOf(FIRST, { atMs: firstAtMs }),
    deliveryOf(SECOND, { atMs: secondAtMs }),
  ];

  test("is judged by first attempts", () => {
    const inOrder = [...arrivals(100_020, 100_120), deliveryOf(FIRST, { atMs: 100_300 })];
    expect(orderOf(ledgerOf({ sent, attempts: inOrder }))).toEqual({ pairs: 1, inverted: [] });
    const inverted = arrivals(100_140, 100_120);
    const [pair] = orderOf(ledgerOf({ sent, attempts: inverted })).inverted;
    expect(pair).toMatch(
      /^slow: 8 sent at 100000 ms, came at 100140 ms; 9 sent at 100100 ms, came at 100120 ms$/,
    );
  });

  test("is not judged near an event, or where the first was not acknowledged before the second was sent", () => {
    const near = disturbance(KILL, { fromMs: 95_000, toMs: 96_000 });
    const attempts = arrivals(100_140, 100_120);
    expect(orderOf(ledgerOf({ sent, attempts, disturbances: [near] })).pairs).toBe(0);
    const [first, second] = sent;
    if (first === undefined || second === undefined) throw new Error("two calls");
    const hasty = [{ ...first, acknowledgedAtMs: 100_200 }, second];
    expect(orderOf(ledgerOf({ sent: hasty, attempts })).pairs).toBe(0);
  });
});

test("a spread of nothing is all zero, of many it is their middle, their 99th and their last", () => {
  expect(spreadOf([])).toEqual({ count: 0, medianMs: 0, p99Ms: 0, maxMs: 0 });
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(spreadOf(hundred)).toEqual({ count: 100, medianMs: 51, p99Ms: 100, maxMs: 100 });
});
