import { describe, expect, test } from "@jest/globals";
import type { OutgoingRecord, Received } from "#kafka";
import type { Noted } from "#state";
import type { Call, DestinationConfig } from "#topics";
import type { Undecided } from "./confirmations.ts";
import { call, destination } from "./fixtures/calls.ts";
import { createRouteCalls, type RouteCallsParts } from "./route-calls.ts";

/** The step with everything around it held by the test: what the window says, and when a look at the configuration ends. */
function setup(recordCall: RouteCallsParts["recordCall"] = undefined) {
  const destinations: DestinationConfig[] = [];
  const waiting: Undecided[] = [];
  const counted: string[] = [];
  const ends: string[][] = [];
  const back: number[] = [];
  const claim = { isOurs: true, giveBack: () => void back.push(1) };
  const world = {
    noted: "first" as Noted | "lost" | "failed",
    isBehindOthers: false,
    isBroken: false,
    isSpeechless: false,
  };
  const outgoing = (key: string): OutgoingRecord => ({ topic: "jobs", key, value: null });
  const step = createRouteCalls({
    windows: {
      note(_, judging) {
        if (world.noted === "lost") judging.giveBack();
        else if (world.noted === "failed") judging.fail(new Error("a bug"));
        else judging.use(world.noted);
      },
    },
    confirmations: {
      has: () => world.isBehindOthers,
      wait: (_, undecided) => void waiting.push(undecided),
    },
    destinations: { of: () => destinations },
    records: {
      job(_, { id }) {
        if (world.isBroken) throw new Error("a bug");
        return outgoing(id);
      },
      deadLetter() {
        if (world.isSpeechless) throw new Error("another bug");
        return outgoing("dead letter");
      },
    },
    recordCall,
    telemetry: {
      routed: (_, jobs) => void counted.push(`routed ${jobs}`),
      dropped: (_, reason) => void counted.push(reason),
      repeated: () => void counted.push("repeated"),
      rejected: () => void counted.push("rejected"),
      rebalanced: () => undefined,
    },
  });
  function take(changes: Partial<Call> = {}): void {
    const raw = { topic: "calls", partition: 3, offset: 7, key: null, value: null, timestampMs: 0 };
    const record: Received<Call> = { ...raw, decoded: call(changes) };
    step(record, ({ produce }) => void ends.push(produce.map(({ key }) => key ?? "")), claim);
  }
  return { back, claim, counted, destinations, ends, take, waiting, world };
}

describe("a call", () => {
  test.each<[Noted, string[], string[][]]>([
    ["first", ["routed 1"], [["a"]]],
    // It may have been noted by a process that died before its jobs were written.
    ["again", ["repeated", "routed 1"], [["a"]]],
    ["duplicate", ["duplicate"], [[]]],
  ])("that the window calls %s is counted as %j and becomes %j", (noted, counted, ends) => {
    const bench = setup();
    bench.destinations.push(destination("a"));
    bench.world.noted = noted;
    bench.take();
    expect([bench.counted, bench.ends, bench.back]).toEqual([counted, ends, []]);
  });

  test("whose partition is lost while its window is rebuilt is given back", () => {
    const { back, counted, ends, take, world } = setup();
    world.noted = "lost";
    take();
    expect([counted, ends, back]).toEqual([[], [], [1]]);
  });
});

test("a call that fails after it waited for its window is a dead letter", () => {
  const { counted, ends, take, world } = setup();
  world.noted = "failed";
  take();
  expect([ends, counted]).toEqual([[["dead letter"]], ["rejected"]]);
});

describe("what becomes of a call is recorded together with its jobs", () => {
  const recording = () =>
    setup((record, outcome, destinations) => ({
      topic: "routed",
      key: `${outcome.kind === "drop" ? outcome.reason : "routed"} at ${record.offset} of ${destinations.map(({ id }) => id)}`,
      value: null,
    }));

  test.each<[Noted, string[]]>([
    ["first", ["a", "routed at 7 of a,b"]],
    ["again", ["a", "routed at 7 of a,b"]],
    ["duplicate", ["duplicate at 7 of a,b"]],
  ])("also of one that the window calls %s", (noted, keys) => {
    const { destinations, ends, take, world } = recording();
    destinations.push(destination("a"), destination("b", { callTypes: ["page"] }));
    world.noted = noted;
    take();
    expect(ends).toEqual([keys]);
  });

  test("also of one that is dropped after a look at the configuration's end", () => {
    const { ends, take, waiting } = recording();
    take();
    waiting[0]?.decide();
    expect(ends).toEqual([["no_destination at 7 of "]]);
  });
});

describe("a call without a destination", () => {
  test("is dropped only after a look at the configuration's end", () => {
    const { counted, ends, take, waiting } = setup();
    take();
    expect([ends, counted]).toEqual([[], []]);
    expect(waiting[0]?.partition).toBe(3);
    waiting[0]?.decide();
    expect([ends, counted]).toEqual([[[]], ["no_destination"]]);
  });

  test("goes to the destination that the look has found", () => {
    const { counted, destinations, ends, take, waiting } = setup();
    take();
    destinations.push(destination("a"));
    waiting[0]?.decide();
    expect([ends, counted]).toEqual([[["a"]], ["routed 1"]]);
  });

  test("is given back when its partition was lost during the look, found or revoked", () => {
    const { back, claim, destinations, ends, take, waiting } = setup();
    take();
    take();
    waiting[0]?.giveBack();
    claim.isOurs = false;
    destinations.push(destination("a"));
    waiting[1]?.decide();
    expect([ends, back]).toEqual([[], [1, 1]]);
  });

  test("is told apart from one whose type no destination takes: that one waits for nothing", () => {
    const { counted, destinations, ends, take, waiting } = setup();
    destinations.push(destination("a", { callTypes: ["page"] }));
    take();
    expect([waiting.length, ends, counted]).toEqual([0, [[]], ["call_type_off"]]);
  });

  test("is given back when it can become neither a job nor a dead letter after the look", () => {
    const { back, destinations, ends, take, waiting, world } = setup();
    take();
    destinations.push(destination("a"));
    world.isBroken = true;
    world.isSpeechless = true;
    waiting[0]?.decide();
    expect([ends, back]).toEqual([[], [1]]);
  });

  test("becomes a dead letter when it cannot become a job after the look", () => {
    const { counted, destinations, ends, take, waiting, world } = setup();
    take();
    destinations.push(destination("a"));
    world.isBroken = true;
    waiting[0]?.decide();
    expect([ends, counted]).toEqual([[["dead letter"]], ["rejected"]]);
  });
});

test("a call that has a destination waits behind those of its source that wait; one that is to go nowhere does not", () => {
  const { counted, destinations, ends, take, waiting, world } = setup();
  destinations.push(destination("a"));
  world.isBehindOthers = true;
  take();
  take({ integrations: { All: false } });
  expect([waiting.length, ends, counted]).toEqual([1, [[]], ["integration_off"]]);
  waiting[0]?.decide();
  expect(ends).toEqual([[], ["a"]]);
});
