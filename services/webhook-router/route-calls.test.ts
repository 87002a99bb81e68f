import { describe, expect, test } from "@jest/globals";
import type { OutgoingRecord, Received, Settle } from "#kafka";
import type { Noted } from "#state";
import type { Call, DestinationConfig } from "#topics";
import type { Undecided } from "./confirmations.ts";
import { FilterTurns } from "./filter-turns.ts";
import { call, destination } from "./fixtures/calls.ts";
import { createRouteCalls, type RouteCallsParts } from "./route-calls.ts";

/** The step with everything around it held by the test: what the window says, and when a look at the configuration ends. */
function setup(recordCall: RouteCallsParts["recordCall"] = undefined) {
  const destinations: DestinationConfig[] = [];
  const waiting: Undecided[] = [];
  const counted: string[] = [];
  const made: string[] = [];
  const ends: string[][] = [];
  const back: number[] = [];
  const revoked: string[] = [];
  const claim = { isOurs: true, giveBack: () => void back.push(1) };
  const world = {
    noted: "first" as Noted | "lost" | "failed",
    isBehindOthers: false,
    isBroken: false,
    isSpeechless: false,
    isSuppressed: false,
    /** The time that the clock of turns gains each time that it is asked. */
    lookMs: 0,
    /** Whether Kafka has acknowledged enough of what was written. */
    hasRoom: true,
  };
  const immediates: (() => void)[] = [];
  const timers: (() => void)[] = [];
  let elapsedMs = 0;
  const host = {
    elapsed() {
      elapsedMs += world.lookMs;
      return elapsedMs;
    },
    setImmediate(work: () => void) {
      immediates.push(work);
      return { clear: () => undefined };
    },
    setTimeout(work: () => void) {
      timers.push(work);
      return { clear: () => undefined };
    },
  };
  const turns = new FilterTurns(host, () => world.hasRoom);
  const turn = (): void => immediates.shift()?.();
  const later = (): void => timers.shift()?.();
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
      revoked: () => void revoked.push("confirmations"),
    },
    suppressions: { has: () => world.isSuppressed },
    // As the index gives them: a change makes another list.
    destinations: { of: () => [...destinations] },
    turns,
    records: {
      job(_, { id }) {
        if (world.isBroken) throw new Error("a bug");
        made.push(id);
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
  function take(changes: Partial<Call> = {}, partition = 3): void {
    const raw = { topic: "calls", partition, offset: 7, key: null, value: null, timestampMs: 0 };
    const record: Received<Call> = { ...raw, decoded: call(changes) };
    const settle: Settle = ({ produce, produceAfter }) => {
      const after = produceAfter === undefined ? [] : [`then ${produceAfter.key}`];
      ends.push([...produce.map(({ key }) => key ?? ""), ...after]);
    };
    step(record, settle, claim);
  }
  const queued = () => [immediates.length, timers.length];
  return {
    ...{ back, claim, counted, destinations, ends, made, take, revoked },
    ...{ turn, turns, later, queued, waiting, world },
  };
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

describe("what becomes of a call is recorded once its jobs are written", () => {
  const recording = () =>
    setup((record, outcome, destinations) => ({
      topic: "routed",
      key: `${outcome.kind === "drop" ? outcome.reason : "routed"} at ${record.offset} of ${destinations.map(({ id }) => id)}`,
      value: null,
    }));

  test.each<[Noted, string[]]>([
    ["first", ["a", "then routed at 7 of a,b"]],
    ["again", ["a", "then routed at 7 of a,b"]],
    ["duplicate", ["then duplicate at 7 of a,b"]],
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
    expect(ends).toEqual([["then no_destination at 7 of "]]);
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
    // The caller of `decide` gives it back, with those behind it.
    expect(waiting[1]?.decide()).toBe(false);
    expect([ends, back]).toEqual([[], [1]]);
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

test.each([
  ["is dropped only after a look at the end of suppressions", true, [[]], ["suppressed"]],
  ["goes on when the look has found that its user's suppression is over", false, [["a"]], ["routed 1"]],
])("a suppressed user's call %s", (_, isSuppressed, wanted, counts) => {
  const { counted, destinations, ends, take, waiting, world } = setup();
  destinations.push(destination("a"));
  world.isSuppressed = true;
  take();
  expect([ends, counted, waiting[0]?.isKept()]).toEqual([[], [], false]);
  world.isSuppressed = isSuppressed;
  waiting[0]?.decide();
  expect([ends, counted]).toEqual([wanted, counts]);
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

describe("a call whose filters take longer than a turn of the event loop has", () => {
  const FILTER = JSON.stringify({ path: "userId", op: "exists" });
  /** More than a turn has room for, which is two. */
  const MANY = ["d0", "d1", "d2"];
  const filtered = (id: string): DestinationConfig => destination(id, { filter: FILTER });
  const other = (): Partial<Call> => ({ sourceId: "other" });

  function slow(ids: readonly string[]) {
    const bench = setup();
    bench.destinations.push(...ids.map(filtered));
    bench.world.lookMs = 6;
    return bench;
  }

  test("goes on in later turns, and then to all whose filter it passes", () => {
    const { ends, take, turn } = slow([...MANY, "e"]);
    take();
    const after: number[] = [];
    while (ends.length === 0) {
      turn();
      after.push(ends.length);
    }
    expect([ends, after.length]).toEqual([[[...MANY, "e"]], 2]);
  });

  test("keeps later calls of its source behind it, and lets those of others pass", () => {
    const { destinations, ends, take, turn, world } = slow(MANY);
    take();
    world.lookMs = 0;
    destinations.splice(0, 3, destination("later"));
    take();
    take(other());
    expect(ends).toEqual([["later"]]);
    turn();
    expect(ends).toEqual([["later"], MANY, ["later"]]);
  });

  test("has its turn after those of other sources that wait", () => {
    const { destinations, ends, take, turn, turns, world } = slow([...MANY, ...MANY]);
    take();
    destinations.splice(0, 6, filtered("x"));
    take(other());
    expect([turns.has("shop"), turns.has("other"), ends]).toEqual([true, true, []]);
    turn();
    world.lookMs = 0;
    turn();
    expect(ends).toEqual([["x"], [...MANY, ...MANY]]);
  });

  test("is given back when its partition is lost, and nothing of it is written", () => {
    const { back, ends, take, turn, turns } = slow(MANY);
    take();
    take({}, 4);
    turns.revoked([{ partition: 3 }]);
    expect([back, turns.has("shop")]).toEqual([[1], true]);
    turns.revoked([{ partition: 4 }]);
    turn();
    expect([back, turns.has("shop"), ends]).toEqual([[1, 1], false, []]);
  });

  test("is given back with those behind it when it is not ours any more at its turn", () => {
    const { back, claim, ends, revoked, take, turn } = slow(MANY);
    take();
    take();
    claim.isOurs = false;
    turn();
    claim.isOurs = true;
    turn();
    expect([back, ends, revoked]).toEqual([[1, 1], [], ["confirmations"]]);
  });

  test("is a dead letter when it fails there", () => {
    const { counted, ends, take, turn, world } = slow(MANY);
    take();
    world.isBroken = true;
    world.lookMs = 0;
    turn();
    expect([ends, counted]).toEqual([[["dead letter"]], ["rejected"]]);
  });

  test("waits behind calls of its source that wait for a look at the configuration", () => {
    const { destinations, ends, take, turn, waiting, world } = setup();
    world.isBehindOthers = true;
    destinations.push(...MANY.map(filtered));
    take();
    expect([waiting.length, ends]).toEqual([1, []]);
    world.lookMs = 6;
    waiting[0]?.decide();
    expect(ends).toEqual([]);
    world.lookMs = 0;
    turn();
    expect(ends).toEqual([MANY]);
  });
});

describe("a call for more destinations than one turn of the event loop makes jobs for", () => {
  const IDS = Array.from({ length: 200 }, (_, index) => `d${index}`);

  function wide(recordCall?: RouteCallsParts["recordCall"]) {
    const bench = setup(recordCall);
    bench.destinations.push(...IDS.map((id) => destination(id)));
    bench.world.lookMs = 6;
    bench.take();
    return bench;
  }

  test("gets some in each turn, and all of them leave together", () => {
    const { counted, ends, made, turn } = wide();
    const most = [made.length];
    while (ends.length === 0) {
      const before = made.length;
      turn();
      most.push(made.length - before);
    }
    expect(Math.max(...most)).toBeLessThanOrEqual(48);
    expect([ends, made, counted]).toEqual([[IDS], IDS, ["routed 200"]]);
  });

  test("is recorded once, with those that it goes to, of those that it was compared with", () => {
    const { destinations, ends, turn } = wide((_, outcome, compared) => ({
      topic: "routed",
      key: `${outcome.kind === "forward" ? outcome.destinations.length : outcome.reason} of ${compared.length}`,
      value: null,
    }));
    destinations.push(destination("connected since"));
    while (ends.length === 0) turn();
    expect(ends).toEqual([[...IDS, "then 200 of 200"]]);
  });

  test("keeps later calls of its source behind it", () => {
    const { destinations, ends, take, turn } = wide();
    destinations.splice(0, IDS.length, destination("later"));
    take();
    while (ends.length < 2) turn();
    expect(ends).toEqual([IDS, ["later"]]);
  });

  test("is given back when it is not ours any more at its turn, and nothing of it is written", () => {
    const { back, claim, ends, turn } = wide();
    claim.isOurs = false;
    turn();
    expect([back, ends]).toEqual([[1], []]);
  });
});

describe("while Kafka has not acknowledged enough of the jobs that were written", () => {
  function full() {
    const bench = setup();
    bench.destinations.push(destination("a"), destination("b"));
    bench.world.hasRoom = false;
    return bench;
  }

  test("calls of all sources wait without a job, and go on in their order when there is room", () => {
    const { ends, later, made, queued, take, turn, world } = full();
    take({ userId: "u1" });
    take({ sourceId: "other" });
    take({ userId: "u2" });
    // A look in every turn would take all of a core.
    turn();
    for (let round = 0; round < 3; round += 1) later();
    expect([ends, made, queued()]).toEqual([[], [], [0, 1]]);
    world.hasRoom = true;
    later();
    expect(ends).toEqual([
      ["a", "b"],
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  test("calls that go nowhere end", () => {
    const { counted, take, world } = full();
    take({ integrations: { All: false } });
    world.noted = "duplicate";
    take();
    expect(counted).toEqual(["integration_off", "duplicate"]);
  });

  test("one that has begun makes the others of its jobs when there is room again, and none twice", () => {
    const { destinations, ends, later, made, take, turn, world } = setup();
    const ids = Array.from({ length: 100 }, (_, index) => `d${index}`);
    destinations.push(...ids.map((id) => destination(id)));
    world.lookMs = 6;
    take();
    world.hasRoom = false;
    const begun = made.length;
    turn();
    later();
    expect([begun > 0, made.length, ends]).toEqual([true, begun, []]);
    world.hasRoom = true;
    while (ends.length === 0) {
      later();
      turn();
    }
    expect([ends, made]).toEqual([[ids], ids]);
  });

  test("one whose partition is lost is given back", () => {
    const { back, ends, later, take, turns, world } = full();
    take();
    turns.revoked([{ partition: 3 }]);
    world.hasRoom = true;
    later();
    expect([back, ends]).toEqual([[1], []]);
  });
});
