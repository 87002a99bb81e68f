import { describe, expect, test } from "@jest/globals";
import type { Claim, Settle, Step } from "#kafka";
import type { DeliveryJob } from "#topics";
import { job } from "../fixtures/jobs.ts";
import { JobsInHand } from "./jobs-in-hand.ts";

const RECORD = { topic: "t", partition: 0, offset: 0, key: "d1:0", value: null, timestampMs: 0 };
const HOP = [{ topic: "retry", key: "d1:0", value: Buffer.alloc(0) }];

type Outcome = Parameters<Settle>[0];

/** One job, and what its step and its reader do with it. */
function begun(step?: Step<DeliveryJob>) {
  const jobs = new JobsInHand();
  const outcomes: Outcome[] = [];
  const state = { givenBack: 0, isOurs: true };
  let given: { settle: Settle; claim: Claim } | undefined;
  const followed = jobs.following((record, settle, claim) => {
    given = { settle, claim };
    step?.(record, settle, claim);
  });
  const claim: Claim = {
    get isOurs() {
      return state.isOurs;
    },
    giveBack() {
      state.givenBack += 1;
    },
  };
  const run = () =>
    followed(
      { ...RECORD, decoded: job({ destinationId: "d1" }) },
      (outcome) => outcomes.push(outcome),
      claim,
    );
  return {
    jobs,
    outcomes,
    run,
    state,
    get given() {
      if (given === undefined) throw new Error("the step was not called");
      return given;
    },
  };
}

describe("a job is in hand", () => {
  test("of its destination, until what became of it is durable", () => {
    const bench = begun();
    bench.run();
    const [inHand] = bench.jobs.of("d1");
    expect([inHand?.isOver, bench.jobs.of("d2").size]).toEqual([false, 0]);
    const durable: string[] = [];
    bench.given.settle({ produce: HOP, onDurable: () => void durable.push("d1") });
    expect([inHand?.isOver, bench.outcomes[0]?.produce]).toEqual([false, HOP]);
    bench.outcomes[0]?.onDurable?.();
    expect([inHand?.isOver, durable, bench.jobs.of("d1").size]).toEqual([true, ["d1"], 0]);
  });

  test("until its hop is durable, of which nobody wants to know", () => {
    const bench = begun();
    bench.run();
    bench.given.settle({ produce: HOP });
    expect(bench.jobs.of("d1").size).toBe(1);
    bench.outcomes[0]?.onDurable?.();
    expect(bench.jobs.of("d1").size).toBe(0);
  });

  test("until it ends as a copy, which has no outcome", () => {
    const bench = begun();
    bench.run();
    bench.given.settle({ produce: [] });
    expect([bench.outcomes, bench.jobs.of("d1").size]).toEqual([[{ produce: [] }], 0]);
  });

  test("until it is given back", () => {
    const bench = begun();
    bench.run();
    bench.state.isOurs = false;
    expect([bench.given.claim.isOurs, bench.jobs.of("d1").size]).toEqual([false, 1]);
    bench.given.claim.giveBack();
    expect([bench.state.givenBack, bench.jobs.of("d1").size]).toEqual([1, 0]);
  });

  test("no more where its step has thrown", () => {
    const bench = begun(() => {
      throw new Error("a fault of ours");
    });
    expect(bench.run).toThrow("a fault of ours");
    expect(bench.jobs.of("d1").size).toBe(0);
  });
});

test("those of a moment stay as they were then", () => {
  const bench = begun();
  bench.run();
  const before = bench.jobs.of("d1");
  bench.given.settle({ produce: [] });
  expect([before.size, bench.jobs.of("d1").size]).toEqual([1, 0]);
});
