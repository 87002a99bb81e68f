// What a destination that is connected later is given, in a world that changes meanwhile, and that dies at each durable step.
import { describe, expect, test } from "@jest/globals";
import { audience } from "#support/records";
import type { ConnectionSync, DestinationConfig, ProfileResult } from "#topics";
import type { Spot } from "../../records/places/places.ts";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import type { Left } from "./sync.ts";
import type { SyncWork } from "./sync-work.ts";
import type { CurrentValue } from "./values.ts";
import { workOn } from "./worker.ts";

class Died extends Error {}

const START_MS = 1_000_000;

const resultOf = (computationId: string, text: string, seq = 1): ProfileResult => ({
  computationId,
  text,
  seq,
  sinceMs: 5,
  generation: 1,
  deadlineMs: null,
});

const sentAs = ({ profileId, result }: Pick<CurrentValue, "profileId" | "result">): string =>
  `${profileId} ${result.computationId} ${result.seq}`;
const givenAs = (value: CurrentValue): string => `${sentAs(value)}${value.isCorrection ? " again" : ""}`;

/** Profiles by partition and id; what is read of them is as old as the last refresh. */
class World {
  readonly live = new Map<string, ProfileResult[]>();
  #copy = new Map<string, ProfileResult[]>();
  readonly audiences = new Map([["a", audience("a")]]);
  destination: DestinationConfig | undefined = {
    enabled: true,
    sourceIds: ["spa_default"],
    callTypes: null,
    version: 1,
  } as unknown as DestinationConfig;
  sync: ConnectionSync | undefined;
  /** user, value, and whether it is a correction. */
  readonly written: string[] = [];
  /** Message ids of the destination's jobs, in the order of the log. */
  readonly log: string[] = [];
  readonly suppressed = new Set<string>();
  /** Whose calls its filter holds back. */
  readonly filtered = new Set<string>();
  left: Left | undefined;
  nowMs = START_MS;
  /** Of each look at the clock: so it is always time to note how far it is. */
  stepMs = 6_000;
  stepsLeft = Number.POSITIVE_INFINITY;
  steps = 0;
  beforeWrite: () => void = () => undefined;
  onWrite: () => void = () => undefined;
  /** Of what was paused, each time that it is looked at. */
  onLook: (ending: AbortController) => void = (ending) => ending.abort();

  constructor(profiles: Readonly<Record<string, readonly ProfileResult[]>>) {
    for (const [id, results] of Object.entries(profiles)) this.live.set(id, [...results]);
  }

  /** It was off for a moment, by a version of that time; nobody has seen more of it than that. */
  offAndOn(atMs = this.nowMs): void {
    const version = (this.destination?.version ?? 0) + 1;
    this.left = { version, atMs };
    this.destination = { ...(this.destination as DestinationConfig), version: version + 1 };
  }

  /** The membership changes, and the router writes the call of it. */
  route(profileId: string, result: ProfileResult): void {
    this.live.set(profileId, [result]);
    this.log.push(sentAs({ profileId, result }));
  }

  async durable(step: () => void): Promise<void> {
    this.steps += 1;
    if (this.stepsLeft < 1) throw new Died();
    step();
    this.stepsLeft -= 1;
    if (this.stepsLeft < 1 && this.stepsLeft > 0) throw new Died();
  }

  #profiles(): ProfileReader {
    const partitionOf = (id: string): number => id.length % 2;
    return {
      isLoaded: true,
      partitions: 2,
      count: 0,
      get: () => Promise.reject(new Error("not asked for")),
      find: () => Promise.reject(new Error("not asked for")),
      read: () => Promise.reject(new Error("not asked for")),
      survivorOf: () => Promise.reject(new Error("not asked for")),
      toldState: () => Promise.reject(new Error("not asked for")),
      needed: async () => undefined,
      refresh: async () => {
        this.#copy = structuredClone(this.live);
      },
      ids: (partition, after = "") =>
        [...this.#copy.keys()].filter((id) => partitionOf(id) === partition && id > after).sort(),
      sentOf: async (_, id) => {
        const results = this.#copy.get(id);
        return results && { incarnation: 1, lists: [], results, redirectTo: null };
      },
    };
  }

  #ending = new AbortController();

  work(): SyncWork {
    const isFiltered = (id: string): boolean => this.filtered.has(id);
    return {
      store: {
        get: () => this.sync,
        replace: ({ before, after }) =>
          this.durable(() => {
            expect(before).toEqual(this.sync);
            this.sync = after;
          }),
      },
      destination: () => this.destination,
      left: () => this.left,
      audience: (id) => this.audiences.get(id),
      profiles: this.#profiles(),
      isSuppressed: (id) => this.suppressed.has(id),
      jobs: {
        ends: async () => new Map([[0, this.log.length]]),
        placesSince: async ({ from }) => {
          const places = new Map<string, Spot>();
          for (const [offset, id] of this.log.entries())
            if (offset >= (from.get(0) ?? 0)) places.set(id, { partition: 0, offset });
          return places;
        },
      },
      sentAs,
      givenAs,
      keyOf: ({ profileId }) => profileId,
      // What stands for the topic is the message id.
      jobOf(value) {
        const text = `${value.result.text}${value.isCorrection ? " again" : ""}`;
        const job = { topic: givenAs(value), key: value.profileId, value: Buffer.from(text) };
        return isFiltered(value.profileId) ? undefined : job;
      },
      write: async (records) => {
        this.beforeWrite();
        await this.durable(() => {
          for (const { key, topic, value } of records) {
            this.written.push(`${key} ${value}`);
            this.log.push(topic);
          }
        });
        this.onWrite();
      },
      onWritten: () => undefined,
      onDone: () => undefined,
      pace: { stepCalls: 2, turn: async () => undefined },
      host: {
        elapsed: () => (this.nowMs += this.stepMs),
        delay: async (ms) => {
          this.nowMs += ms;
          if (this.sync?.isDone === true) this.onLook(this.#ending);
        },
        setImmediate: (work) => {
          setImmediate(work);
          return { clear: () => undefined };
        },
      },
      nowMs: () => this.nowMs,
    };
  }

  /** What a receiver knows of a profile in the end that passes over message ids it has had. */
  lastWord(profileId: string): string | undefined {
    return [...new Set(this.log)].findLast((id) => id.startsWith(`${profileId} `));
  }

  /** Until all is given, and what is paused was looked at once. */
  async run(): Promise<this> {
    this.#ending = new AbortController();
    await workOn("d", this.work(), this.#ending.signal);
    return this;
  }
}

const members = (count: number): Record<string, ProfileResult[]> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `u${"x".repeat(index % 2)}${index}`,
      [resultOf("a", "true")],
    ]),
  );

test("it gets the members and values that there are, once; nothing of who is none, of what is paused, deleted or suppressed", async () => {
  const world = new World({
    ann: [resultOf("a", "true"), resultOf("t", "5"), resultOf("paused", "true"), resultOf("deleted", "true")],
    bob: [resultOf("a", "false", 2), resultOf("t", "null", 3), resultOf("unknown", "true")],
    suppressed: [resultOf("a", "true")],
  });
  world.audiences.set("t", audience("t", { kind: "trait" }));
  world.audiences.set("paused", audience("paused", { isPaused: true }));
  world.audiences.set("deleted", audience("deleted", { deletedAtMs: 1 }));
  world.suppressed.add("suppressed");
  await world.run();
  expect(world.written).toEqual(["ann true", "ann 5"]);
  expect(world.sync).toMatchObject({ isConnected: true, isDone: true, sent: 2, heldBackIds: ["paused"] });
  await world.run();
  expect(world.written).toHaveLength(2);
});

test("it gets nothing of who is suppressed between the reading and the writing, nor of what its filter holds back: neither counts as sent", async () => {
  const world = new World(members(6));
  world.onWrite = () => void world.suppressed.add("u4");
  world.filtered.add("u2");
  await world.run();
  expect(world.written).not.toContain("u4 true");
  expect(world.written).toHaveLength(4);
  expect(world.sync).toMatchObject({ isDone: true, sent: 4 });
});

describe("one that was off and is on again before anybody looked", () => {
  test.each([-3_600_000, 0, 3_600_000])(
    "is given all members once more, also where that was by a clock that is %i ms ahead",
    async (aheadMs) => {
      const world = new World(members(3));
      await world.run();
      const first = world.sync;
      world.offAndOn(world.nowMs + aheadMs);
      await world.run();
      expect(world.written).toHaveLength(6);
      expect(world.sync).toMatchObject({ isDone: true, connectedVersion: 3 });
      expect(world.sync?.createdAtMs).toBeGreaterThan(first?.createdAtMs ?? 0);
      expect(world.sync?.createdAtMs).toBeLessThanOrEqual(world.nowMs);
      await world.run();
      expect(world.written).toHaveLength(6);
    },
  );

  test("is given all members from the first on, also where that was under way", async () => {
    const world = new World(members(4));
    world.onWrite = () => {
      if (world.left === undefined) world.offAndOn();
    };
    await world.run();
    expect(world.written).toHaveLength(6);
    expect(new Set(world.written.slice(2)).size).toBe(4);
  });

  test("is given nothing more where that was before it was connected", async () => {
    const world = new World(members(3));
    world.offAndOn();
    await world.run();
    expect(world.sync).toMatchObject({ connectedVersion: 3 });
    await world.run();
    expect(world.written).toHaveLength(3);
  });

  test("is another sync than the one before, also by a clock that was set back", async () => {
    const world = new World(members(3));
    await world.run();
    const first = world.sync;
    world.nowMs -= 3_600_000;
    world.offAndOn();
    await world.run();
    expect(world.written).toHaveLength(6);
    expect(world.sync?.createdAtMs).toBe((first?.createdAtMs ?? 0) + 1);
    expect(world.sync?.updatedAtMs).toBeGreaterThan(first?.updatedAtMs ?? 0);
  });

  test("is not begun with while what is read of its configuration is older than that", async () => {
    const world = new World(members(3));
    await world.run();
    world.left = { version: 2, atMs: world.nowMs };
    await world.run();
    expect(world.sync).toMatchObject({ isConnected: false });
    expect(world.written).toHaveLength(3);
  });

  test.each([
    ["was off later, by its time", 0, 6],
    ["was off before, by its time", -1, 3],
  ])(
    "and whose sync a version before began, without the configuration's version, %s",
    async (_, ms, count) => {
      const world = new World(members(3));
      await world.run();
      world.sync = { ...(world.sync as ConnectionSync), connectedVersion: null };
      world.offAndOn(world.sync.createdAtMs + ms);
      await world.run();
      expect(world.written).toHaveLength(count);
    },
  );
});

test("one whose configuration was restored, at an earlier version, is given its members", async () => {
  const world = new World(members(3));
  world.destination = { ...(world.destination as DestinationConfig), version: 7 };
  await world.run();
  world.destination = { ...world.destination, version: 5 };
  await world.run();
  expect(world.written).toHaveLength(6);
  await world.run();
  expect(world.written).toHaveLength(6);
});

test.each([
  { what: "is off", change: { enabled: false } },
  { what: "has other sources", change: { sourceIds: ["s"] } },
  { what: "takes no identify calls", change: { callTypes: ["track"] } },
])("one that $what gets nothing, and all members when that has changed", async ({ change }) => {
  const world = new World(members(3));
  const connected = world.destination as DestinationConfig;
  world.destination = { ...connected, ...change };
  await world.run();
  expect([world.sync, world.written]).toEqual([undefined, []]);
  world.destination = connected;
  await world.run();
  expect(world.written).toHaveLength(3);
  world.destination = { ...connected, ...change };
  await world.run();
  expect(world.sync).toMatchObject({ isConnected: false });
  world.destination = connected;
  await world.run();
  expect(world.written).toHaveLength(6);
});

test("nothing is written before the router knows the destination, two seconds after the change (contract 10.1)", async () => {
  const world = new World(members(1));
  world.stepMs = 0;
  const changedAtMs = world.nowMs;
  let writtenAtMs = 0;
  world.onWrite = () => {
    writtenAtMs = world.nowMs;
  };
  await world.run();
  expect(writtenAtMs - changedAtMs).toBe(2_000);
});

describe("one whose connection ends while it is unsure of what it has written", () => {
  /** It dies once the older value stands behind the newer one, and the destination is off and on again. */
  async function reconnected(now: ProfileResult): Promise<World> {
    const world = new World({ ann: [resultOf("a", "true")], bob: [resultOf("a", "true")] });
    world.beforeWrite = () => {
      if (world.log.length === 0) world.route("ann", now);
    };
    world.onWrite = () => {
      world.onWrite = () => undefined;
      throw new Died();
    };
    await expect(world.run()).rejects.toThrow(Died);
    world.offAndOn();
    return world;
  }

  test.each(["true", "false"])(
    "is told what is so by now, %s, under an id that it does not know",
    async (text) => {
      const world = await reconnected(resultOf("a", text, 2));
      await world.run();
      expect(world.lastWord("ann")).toBe("ann a 2 again");
      expect(world.sync).toMatchObject({ isDone: true, doubts: [] });
    },
  );

  test("is told so by the third connection where the second one has ended, too", async () => {
    const world = await reconnected(resultOf("a", "false", 2));
    world.beforeWrite = () => {
      world.beforeWrite = () => undefined;
      throw new Died();
    };
    await expect(world.run()).rejects.toThrow(Died);
    world.offAndOn();
    await world.run();
    expect(world.lastWord("ann")).toBe("ann a 2 again");
  });

  test("is given what was paused once that is resumed", async () => {
    const world = await reconnected(resultOf("a", "false", 2));
    world.audiences.set("a", audience("a", { isPaused: true }));
    world.onLook = (ending) => {
      if (world.sync?.doubts.length !== 2) return ending.abort();
      world.audiences.set("a", audience("a"));
    };
    await world.run();
    expect(world.lastWord("ann")).toBe("ann a 2 again");
    expect(world.sync).toMatchObject({ isDone: true, doubts: [], heldBackIds: [] });
  });
});

test.each([-3_600_000, 3_600_000])(
  "whoever takes a sync up waits as long, by its own clock, also of one that was begun %i ms from now",
  async (aheadMs) => {
    const world = new World(members(1));
    world.stepMs = 0;
    await world.run();
    const begun = { isDone: false, cursor: null, unsure: [], partition: 0 };
    const createdAtMs = world.nowMs + aheadMs;
    world.sync = { ...(world.sync as ConnectionSync), ...begun, createdAtMs };
    const fromMs = world.nowMs;
    let writtenAtMs = 0;
    world.onWrite = () => {
      writtenAtMs = world.nowMs;
    };
    await world.run();
    expect(writtenAtMs - fromMs).toBe(2_000);
  },
);

test("one that is switched off meanwhile gets no more", async () => {
  const world = new World(members(6));
  world.onWrite = () => {
    world.destination = undefined;
  };
  await world.run();
  expect(world.written.length).toBeLessThan(6);
  expect(world.sync).toMatchObject({ isConnected: false, isDone: false });
});

test("nothing is read before the router knows the destination", async () => {
  const world = new World(members(1));
  const work = world.work();
  const refreshedAtMs: number[] = [];
  const profiles = {
    ...work.profiles,
    refresh: async (signal: AbortSignal) => {
      refreshedAtMs.push(world.nowMs);
      await work.profiles.refresh(signal);
    },
  };
  await workOn("d", { ...work, profiles }, new AbortController().signal);
  expect(Number(refreshedAtMs[0])).toBeGreaterThanOrEqual(START_MS + 2_000);
});

test("a membership whose older call was written behind the newer one is sent as it is now, until nothing has changed", async () => {
  const world = new World({
    ann: [resultOf("a", "true")],
    bob: [resultOf("a", "true")],
    cid: [resultOf("a", "true")],
  });
  let writes = 0;
  world.beforeWrite = () => {
    writes += 1;
    if (writes === 1) world.route("ann", resultOf("a", "false", 2));
    // Deleted: nothing more is said of that user.
    if (writes === 1) world.live.set("cid", []);
    if (writes === 3) world.route("ann", resultOf("a", "true", 3));
  };
  await world.run();
  expect(world.written).toEqual(["ann true", "bob true", "cid true", "ann false again", "ann true again"]);
});

test.each(["before it is looked at again", "later"])(
  "a membership that changes once its call is written comes under the one id of that change: the router writes it behind, %s",
  async (when) => {
    const world = new World(members(4));
    const changed = resultOf("a", "false", 2);
    let writes = 0;
    world.onWrite = () => {
      writes += 1;
      if (writes === 1 && when === "later") world.live.set("u0", [changed]);
      if (writes === 1 && when !== "later") world.route("u0", changed);
    };
    await world.run();
    if (when === "later") world.route("u0", changed);
    expect(world.log.filter((id) => id.startsWith("u0 "))).toEqual(["u0 a 1", "u0 a 2"]);
    expect(world.written).toHaveLength(4);
  },
);

test("what was paused is given once it is resumed, and nothing else again, whoever goes on", async () => {
  const world = new World({
    ann: [resultOf("a", "true"), resultOf("paused", "true"), resultOf("other", "true")],
    bob: [resultOf("paused", "true")],
  });
  world.audiences.set("paused", audience("paused", { isPaused: true }));
  world.audiences.set("other", audience("other", { isPaused: true }));
  await world.run();
  expect(world.written).toEqual(["ann true"]);
  await world.run();
  expect(world.written).toHaveLength(1);

  world.audiences.set("paused", audience("paused"));
  await world.run();
  expect(world.written).toEqual(["ann true", "ann true", "bob true"]);
  expect(world.log).toEqual(["ann a 1", "ann paused 1", "bob paused 1"]);
  expect(world.sync).toMatchObject({ isDone: true, heldBackIds: ["other"] });

  world.onLook = () => world.audiences.delete("other");
  await world.run();
  expect(world.written).toHaveLength(3);
  expect(world.sync).toMatchObject({ isConnected: true, isDone: true, heldBackIds: [] });
});

test.each([
  {
    what: "deleted",
    end: (world: World) => world.audiences.set("a", audience("a", { isPaused: true, deletedAtMs: 1 })),
  },
  { what: "gone", end: (world: World) => world.audiences.delete("a") },
])("what is $what while it is paused is waited for no more, and not given", async ({ end }) => {
  const world = new World({ ann: [resultOf("a", "true")] });
  world.audiences.set("a", audience("a", { isPaused: true }));
  let looks = 0;
  world.onLook = (ending) => {
    looks += 1;
    end(world);
    if (looks > 5) ending.abort();
  };
  await world.run();
  expect(looks).toBe(1);
  expect(world.sync).toMatchObject({ isConnected: true, isDone: true, heldBackIds: [] });
  expect(world.written).toEqual([]);
});

test("a destination that is switched off while something is paused is waited for no more", async () => {
  const world = new World({ ann: [resultOf("a", "true")] });
  world.audiences.set("a", audience("a", { isPaused: true }));
  world.onLook = () => {
    world.destination = undefined;
  };
  await world.run();
  expect(world.sync).toMatchObject({ isConnected: false });
  expect(world.written).toEqual([]);
});

test("whoever goes on after a death, before or after any durable step, leaves nobody out, and repeats few", async () => {
  const whole = await new World(members(10)).run();
  for (let died = 0; died < whole.steps; died += 1)
    for (const rest of [0, 0.5]) {
      const world = new World(members(10));
      world.stepsLeft = died + rest;
      await expect(world.run()).rejects.toThrow(Died);
      world.stepsLeft = Number.POSITIVE_INFINITY;
      await world.run();
      expect([...new Set(world.written)].sort()).toEqual([...whole.written].sort());
      expect(world.sync?.isDone).toBe(true);
    }
});

describe("a membership that changes while its older call is written", () => {
  /** It changes before so many of the writes, each time to what the router has written by then. */
  function changingWorld(changes: readonly number[]): World {
    const world = new World({ ann: [resultOf("a", "true")], bob: [resultOf("a", "true")] });
    let writes = 0;
    let seq = 1;
    world.beforeWrite = () => {
      writes += 1;
      if (!changes.includes(writes)) return;
      seq += 1;
      world.route("ann", resultOf("a", seq % 2 === 1 ? "true" : "false", seq));
    };
    return world;
  }

  test("is sent as it is now by whoever goes on after a death before the correction", async () => {
    const world = changingWorld([1]);
    world.onWrite = () => {
      world.stepsLeft = 0;
    };
    await expect(world.run()).rejects.toThrow(Died);
    expect(world.log).toEqual(["ann a 2", "ann a 1", "bob a 1"]);
    world.onWrite = () => undefined;
    world.stepsLeft = Number.POSITIVE_INFINITY;
    await world.run();
    expect(world.log).toEqual(["ann a 2", "ann a 1", "bob a 1", "ann a 2 again"]);
  });

  test.each([[[1]], [[1, 2]], [[1, 2, 3]]])(
    "is the last word, whoever dies before or after any durable step; before writes %j",
    async (changes) => {
      const { steps } = await changingWorld(changes).run();
      for (let died = 0; died < steps; died += 1)
        for (const rest of [0, 0.5]) {
          const world = changingWorld(changes);
          world.stepsLeft = died + rest;
          await expect(world.run()).rejects.toThrow(Died);
          world.stepsLeft = Number.POSITIVE_INFINITY;
          await world.run();
          const seq = world.live.get("ann")?.[0]?.seq;
          expect(world.lastWord("ann")).toMatch(new RegExp(`^ann a ${seq}( again)?$`));
          expect(world.lastWord("bob")).toBe("bob a 1");
          expect(world.sync?.isDone).toBe(true);
        }
    },
  );
});
