import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { DestinationHealth } from "#topics";
import { unbrokenSinceMs } from "../../resources/destinations/health/written.ts";
import { type AttemptSeen, type HealthChange, laterHealth, nextHealth } from "./health.ts";
import { isAtRest, isWorthWriting } from "./persistence.ts";

const S = 1_000;
const A = "https://a.example/";
const B = "https://b.example/";
const RULES = { destinationId: "d", failingAfterMs: 10 * S, recoveredAfterMs: 60 * S };

/** Attempts as [second, url, outcome]; each ends at its second. */
type Seen = [
  second: number,
  url: string,
  outcome: "success" | "http_4xx" | "http_5xx" | "timeout" | "self_signed",
];

function attempts(seen: readonly Seen[]): AttemptSeen[] {
  return seen.map(([second, url, outcome], offset) => ({
    url,
    outcome,
    status: outcome === "http_5xx" ? 503 : null,
    message: outcome === "success" ? "" : outcome,
    startedAtMs: second * S,
    durationMs: 0,
    suppressed: 0,
    offset,
  }));
}

/** State, since (seconds) and what was told, after the attempts of a destination with these webhooks. */
function fold(urls: string[], ...seen: Seen[]) {
  let health: DestinationHealth | undefined;
  const told: HealthChange[] = [];
  for (const attempt of attempts(seen)) {
    const step = nextHealth(health, attempt, { ...RULES, urls });
    health = step.health;
    if (step.change !== undefined) told.push(step.change);
  }
  if (health === undefined) throw new Error("no attempt was given");
  return { health, told, state: health.state, since: health.sinceMs / S };
}

describe("a destination whose URLs are changed", () => {
  const next = (
    before: DestinationHealth,
    urls: string[],
    second: number,
    outcome: "success" | "timeout",
  ) => {
    const [attempt] = attempts([[second, urls[0] ?? "", outcome]]);
    if (attempt === undefined) throw new Error("no attempt");
    return nextHealth(before, { ...attempt, offset: second }, { ...RULES, urls });
  };

  test("begins anew when none is left", () => {
    const { health: failing } = fold([A], [0, A, "timeout"], [10, A, "timeout"]);
    expect(next(failing, [B], 20, "timeout").health).toMatchObject({
      state: "untested",
      sinceMs: 20 * S,
      urls: [B],
    });
    expect(next(failing, [B], 20, "success").health).toMatchObject({ state: "healthy", sinceMs: 20 * S });
    const { health: healthy } = fold([A], [0, A, "success"]);
    const changed = next(healthy, [B], 5, "timeout").health;
    expect(changed.state).toBe("untested");
    expect(isWorthWriting(healthy, changed, 5 * S)).toBe(true);
  });

  test("goes on as it was while one is left", () => {
    const { health } = fold([A, B], [0, A, "success"]);
    const changed = next(health, [B], 5, "success").health;
    expect(changed).toMatchObject({ state: "healthy", sinceMs: 0, urls: [B] });
    expect([isAtRest(health, changed), isWorthWriting(health, changed, 5 * S)]).toEqual([false, true]);
  });

  test("does not recover by time alone, and what is read again does not count", () => {
    const recovering = fold([A], [0, A, "timeout"], [10, A, "timeout"], [20, A, "success"]).health;
    expect(recovering.state).toBe("recovering");
    expect(laterHealth(recovering, 900 * S, { ...RULES, urls: [A] }).change).toBe("recovered");
    expect(laterHealth(recovering, 900 * S, { ...RULES, urls: [B] })).toEqual({
      health: recovering,
      change: undefined,
    });
    expect(next(recovering, [B], 1, "success").health).toBe(recovering);
  });

  test("of a record that does not say which they were goes on as it was", () => {
    const { health } = fold([A], [0, A, "success"]);
    expect(next({ ...health, urls: [] }, [B], 5, "success").health.state).toBe("healthy");
  });
});

describe("a destination with one webhook (contract 4.5)", () => {
  test("is failing when nothing got through for ten seconds, since its first failure", () => {
    expect(fold([A], [0, A, "timeout"], [9, A, "http_5xx"])).toMatchObject({ state: "untested", told: [] });
    const { health, ...rest } = fold([A], [0, A, "timeout"], [10, A, "http_5xx"]);
    expect(rest).toEqual({ state: "failing", since: 0, told: ["failing"] });
    expect(health.webhooks).toEqual([
      {
        url: A,
        sinceMs: 0,
        failures: 2,
        lastAtMs: 10 * S,
        outcome: "http_5xx",
        status: 503,
        message: "http_5xx",
      },
    ]);
  });

  test("is untested until its first success, and healthy from then on", () => {
    expect(fold([A], [0, A, "timeout"])).toMatchObject({ state: "untested", told: [] });
    expect(fold([A], [0, A, "timeout"], [3, A, "success"])).toMatchObject({
      state: "healthy",
      since: 3,
      told: [],
    });
  });

  test("is failing at its first call when the reason is permanent, with that reason", () => {
    const first = fold([A], [7, A, "http_4xx"]);
    expect(first).toMatchObject({ state: "failing", since: 7, told: ["failing"] });
    expect(first.health.webhooks).toMatchObject([{ outcome: "http_4xx", failures: 1 }]);
    expect(fold([A], [0, A, "timeout"], [1, A, "self_signed"])).toMatchObject({ state: "failing", since: 0 });
    // It has worked: one refused call says nothing about the others.
    expect(fold([A], [0, A, "success"], [1, A, "http_4xx"])).toMatchObject({ state: "healthy", told: [] });
    expect(fold([A], [0, A, "http_4xx"], [1, A, "success"]).state).toBe("recovering");
  });

  test("is not failing while one in two calls gets through", () => {
    const seen = Array.from(
      { length: 200 },
      (_, second): Seen => [second, A, second % 2 ? "success" : "timeout"],
    );
    expect(fold([A], ...seen)).toMatchObject({ state: "healthy", told: [] });
  });

  test("a failure long ago and one now are unbroken failure; silence after one is not", () => {
    expect(fold([A], [0, A, "timeout"], [600, A, "timeout"]).state).toBe("failing");
    const { health } = fold([A], [0, A, "timeout"]);
    expect(laterHealth(health, 600 * S, { ...RULES, urls: [A] }).health.state).toBe("untested");
  });

  test("is recovering with the first success, and healthy when that has lasted a minute", () => {
    const failed: Seen[] = [
      [0, A, "timeout"],
      [10, A, "timeout"],
    ];
    const back = fold([A], ...failed, [20, A, "success"], [79, A, "success"]);
    expect(back).toMatchObject({ state: "recovering", since: 20, told: ["failing"] });
    expect(fold([A], ...failed, [20, A, "success"], [80, A, "success"])).toMatchObject({
      state: "healthy",
      since: 80,
      told: ["failing", "recovered"],
    });
    const later = laterHealth(back.health, 80 * S, { ...RULES, urls: [A] });
    expect(later).toMatchObject({ health: { state: "healthy" }, change: "recovered" });
    expect(laterHealth(back.health, 80 * S - 1, { ...RULES, urls: [A] }).change).toBeUndefined();
  });

  test("that comes and goes is reported once", () => {
    const flapping = Array.from({ length: 20 }, (_, round): Seen[] => [
      [round * 30, A, "timeout"],
      [round * 30 + 12, A, "timeout"],
      [round * 30 + 20, A, "success"],
    ]).flat();
    expect(fold([A], ...flapping)).toMatchObject({ state: "recovering", told: ["failing"] });
  });

  test("counts failures that had no record of their own", () => {
    const [first, second] = attempts([
      [0, A, "timeout"],
      [1, A, "timeout"],
    ]);
    if (first === undefined || second === undefined) throw new Error("two attempts");
    const context = { ...RULES, urls: [A] };
    const { health } = nextHealth(undefined, first, context);
    expect(nextHealth(health, { ...second, suppressed: 40 }, context).health.webhooks[0]?.failures).toBe(42);
  });

  test("an attempt that is read again changes nothing, one of a topic that was created again does", () => {
    const { health } = fold([A], [0, A, "timeout"], [5, A, "success"]);
    const [again] = attempts([[0, A, "timeout"]]);
    if (again === undefined) throw new Error("one attempt");
    expect(nextHealth(health, again, { ...RULES, urls: [A] }).health).toBe(health);
    const later = { ...again, startedAtMs: 6 * S };
    expect(nextHealth(health, later, { ...RULES, urls: [A] }).health.webhooks).toHaveLength(1);
  });
});

describe("a destination with two webhooks (contract 3.2)", () => {
  test("is healthy while one of them takes calls, and says why not all is well", () => {
    const seen = Array.from({ length: 30 }, (_, second): Seen[] => [
      [second, A, "timeout"],
      [second, B, "success"],
    ]).flat();
    const { health, told } = fold([A, B], ...seen);
    expect(health).toMatchObject({ state: "healthy", webhooks: [{ url: A, failures: 30 }] });
    expect(told).toEqual([]);
  });

  test("is failing at once when both refuse for good, and not while one is still to be tried or tries again", () => {
    expect(fold([A, B], [0, A, "http_4xx"]).state).toBe("untested");
    expect(fold([A, B], [0, A, "http_4xx"], [1, B, "timeout"]).state).toBe("untested");
    expect(fold([A, B], [0, A, "http_4xx"], [1, B, "self_signed"])).toMatchObject({
      state: "failing",
      since: 1,
    });
    expect(fold([A, B], [0, A, "http_4xx"], [1, B, "success"]).state).toBe("healthy");
  });

  test("is failing since the second one failed too", () => {
    const seen: Seen[] = [
      [0, A, "timeout"],
      [20, B, "timeout"],
      [29, A, "timeout"],
    ];
    expect(fold([A, B], ...seen).state).toBe("untested");
    expect(fold([A, B], ...seen, [30, B, "timeout"])).toMatchObject({ state: "failing", since: 20 });
  });

  test("forgets the failure of one that has been quiet for a minute while calls get through", () => {
    const { health } = fold([A, B], [0, A, "timeout"], [59, B, "success"], [60, B, "success"]);
    expect(health.webhooks).toEqual([]);
  });

  test("is judged by the webhooks that it has now", () => {
    const { health } = fold([A, B], [0, A, "timeout"], [0, B, "timeout"], [10, A, "timeout"]);
    expect(health.state).toBe("failing");
    const [elsewhere, gone] = attempts([
      [11, "https://c.example/", "timeout"],
      [12, A, "timeout"],
    ]).map((attempt) => ({ ...attempt, offset: attempt.offset + 3 }));
    if (elsewhere === undefined || gone === undefined) throw new Error("two attempts");
    const now = { ...RULES, urls: ["https://c.example/"] };
    expect(nextHealth(health, gone, now).health).toBe(health);
    const { webhooks } = nextHealth(health, elsewhere, now).health;
    expect(webhooks.map(({ url }) => url)).toEqual(now.urls);
    expect(unbrokenSinceMs({ webhooks }, now.urls)).toBe(11 * S);
  });
});

test("failing and recovered are told in turn, whatever happens", () => {
  const seen = fc.record({
    gap: fc.integer({ min: 0, max: 40 }),
    url: fc.constantFrom(A, B),
    outcome: fc.constantFrom("success" as const, "timeout" as const),
  });
  fc.assert(
    fc.property(fc.array(seen, { minLength: 1, maxLength: 80 }), (steps) => {
      let second = 0;
      const { told, health } = fold(
        [A, B],
        ...steps.map(({ gap, url, outcome }): Seen => {
          second += gap;
          return [second, url, outcome];
        }),
      );
      const inTurn = told.map((_, index) => (index % 2 === 0 ? "failing" : "recovered"));
      expect(told).toEqual(inTurn);
      if (health.state === "failing") expect(unbrokenSinceMs(health, [A, B])).toBeDefined();
    }),
  );
});

describe("a record of health", () => {
  const healthy = fold([A], [0, A, "success"]).health;
  const failed = fold([A], [0, A, "timeout"]).health;
  const twice = fold([A], [0, A, "timeout"], [1, A, "timeout"]).health;
  const blip = fold([A], [0, A, "timeout"], [0.5, A, "success"]).health;

  test("is written once for a destination that never failed, with its first success", () => {
    expect(isWorthWriting(undefined, healthy, 0)).toBe(true);
    expect(isAtRest(undefined, healthy)).toBe(false);
    const later = fold([A], [0, A, "success"], [600, A, "success"]).health;
    expect(isWorthWriting(healthy, later, 600 * S)).toBe(false);
    expect(isAtRest(healthy, later)).toBe(true);
  });

  test("is written at the first failure, at its end, and at most once a second between", () => {
    expect(isWorthWriting(undefined, failed, 0)).toBe(true);
    expect(isWorthWriting(failed, twice, 999)).toBe(false);
    expect(isWorthWriting(failed, twice, 1_000)).toBe(true);
    expect(isWorthWriting(failed, blip, 500)).toBe(true);
    expect(isAtRest(failed, blip)).toBe(false);
    expect(isAtRest(blip, blip)).toBe(true);
  });

  test("is written every ten seconds when failures are many, and for every change of state", () => {
    const [webhook] = twice.webhooks;
    if (webhook === undefined) throw new Error("a webhook that fails");
    const many = { ...twice, webhooks: [{ ...webhook, failures: 11 }] };
    expect(isWorthWriting(failed, many, 9_999)).toBe(false);
    expect(isWorthWriting(failed, many, 10_000)).toBe(true);
    expect(isWorthWriting(failed, { ...many, state: "failing" }, 1)).toBe(true);
  });
});
