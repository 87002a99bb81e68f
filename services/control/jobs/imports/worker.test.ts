// An import from its record to its end, in a world that dies before and after each durable step.
import { expect, test } from "@jest/globals";
import type { MembershipImport } from "#topics";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import { Differences } from "./differences.ts";
import { importOf } from "./fixtures/import.ts";
import { applied, confirmed, type ImportMode } from "./import.ts";
import { ComparisonRoom } from "./room.ts";
import { RowsExpiredError } from "./staged-rows.ts";
import { type ImportWork, workOn } from "./worker.ts";

const LIST = "aud_1";
const PARTITIONS = 2;

class Died extends Error {}

interface WorldOptions {
  readonly mode?: ImportMode;
  readonly rows: readonly string[];
  readonly members: readonly string[];
  readonly suppressed?: readonly string[];
  /** By id: the profile that it was merged into. */
  readonly merged?: Readonly<Record<string, string>>;
}

/** Its profiles have every event as soon as it is written. */
class World {
  readonly #options: WorldOptions;
  readonly members: Set<string>;
  readonly known: Set<string>;
  readonly events: string[] = [];
  one: MembershipImport;
  rows: readonly string[];
  /** Durable steps until it dies; then it is not used any more. */
  stepsLeft = Number.POSITIVE_INFINITY;
  steps = 0;
  isThere = true;
  /** Somebody has written of it behind what is known of it. */
  isOvertaken = false;
  elapsedMs = 0;
  room = new ComparisonRoom({ delay: () => Promise.reject(new Error("there is room")) });

  constructor(options: WorldOptions) {
    this.#options = options;
    this.rows = options.rows;
    this.members = new Set(options.members);
    this.known = new Set([...options.members, ...Object.keys(options.merged ?? {}), "other"]);
    const { mode = "replace", rows } = options;
    this.one = importOf({ audienceId: LIST, mode, rows: rows.length, nowMs: 1 });
  }

  /** Dies instead of the step, or right after it. */
  async durable(step: () => void): Promise<void> {
    this.steps += 1;
    if (this.stepsLeft < 1) throw new Died();
    step();
    this.stepsLeft -= 1;
    if (this.stepsLeft < 1 && this.stepsLeft > 0) throw new Died();
  }

  #profiles(): ProfileReader {
    const { merged = {} } = this.#options;
    const stateOf = (id: string) => ({
      incarnation: 0,
      lists: this.members.has(id) ? [LIST] : [],
      results: [],
      redirectTo: merged[id] ?? null,
    });
    const partitionOf = (id: string): number => id.length % PARTITIONS;
    return {
      isLoaded: true,
      partitions: PARTITIONS,
      count: 0,
      read: () => Promise.reject(new Error("not asked for")),
      get: () => Promise.reject(new Error("not asked for")),
      find: () => Promise.reject(new Error("not asked for")),
      needed: async () => undefined,
      refresh: async () => undefined,
      ids: (partition, after = "") =>
        [...this.known].filter((id) => partitionOf(id) === partition && id > after).sort(),
      sentOf: async (_, id) => stateOf(id),
      toldState: () => Promise.reject(new Error("not asked for")),
      survivorOf: async (id) => {
        const survivor = merged[id] ?? id;
        return this.known.has(survivor) ? { id: survivor, state: stateOf(survivor) } : undefined;
      },
    };
  }

  work(): ImportWork {
    return {
      queue: {
        isLoaded: true,
        get: () => this.one,
        isAsWritten: () => !this.isOvertaken,
        refresh: async () => undefined,
        put: (next) =>
          this.durable(() => {
            this.one = next;
          }),
        nextPlaceMs: () => 0,
        untilOlderHaveEnded: async () => undefined,
      },
      eachChunk: async (one, take) => {
        for (let at = 0; at < this.rows.length; at += 3) await take(this.rows.slice(at, at + 3));
        if (this.rows.length !== one.rows) throw new RowsExpiredError("rows are gone");
      },
      profiles: this.#profiles(),
      isSuppressed: (userId) => (this.#options.suppressed ?? []).includes(userId),
      room: this.room,
      untilUpToDate: async () => undefined,
      isThere: () => this.isThere,
      eventOf: (_, { isMember, profileId }) => ({
        topic: "",
        key: profileId,
        value: Buffer.from(isMember ? "+" : "-"),
      }),
      write: (records) =>
        this.durable(() => {
          for (const { key, value } of records) this.#fold(key ?? "", String(value));
        }),
      onWritten: () => undefined,
      pace: { stepCalls: 2, turn: async () => undefined },
      host: {
        // Every other look finds that it is time to note how far it is.
        elapsed: () => (this.elapsedMs += 3_000),
        delay: async () => undefined,
        setImmediate: (work) => {
          setImmediate(work);
          return { clear: () => undefined };
        },
      },
      nowMs: () => this.one.updatedAtMs + 1,
    };
  }

  #fold(id: string, sign: string): void {
    this.events.push(sign + id);
    this.known.add(id);
    if (sign === "+") this.members.add(id);
    else this.members.delete(id);
  }

  async run(): Promise<this> {
    await workOn("aud_1:one", this.work(), new AbortController().signal);
    return this;
  }
}

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test("replaces: who is named comes, who is not goes, and nobody else is written", async () => {
  const world = await new World({
    rows: ["a", "b", "new", "b", "far"],
    members: ["a", "b", "old", "older"],
  }).run();
  expect([...world.members].sort()).toEqual(["a", "b", "far", "new"]);
  expect(world.events.sort()).toEqual(["+far", "+new", "-old", "-older"]);
  expect(world.one).toMatchObject({
    state: "applied",
    users: 4,
    members: 4,
    added: 2,
    removed: 2,
    written: 4,
  });
});

test("adds, and takes away", async () => {
  const added = await new World({ mode: "add", rows: ["a", "x"], members: ["a", "b"] }).run();
  expect([added.events, added.one.removed]).toEqual([["+x"], 0]);
  const taken = await new World({ mode: "remove", rows: ["a", "x"], members: ["a", "b"] }).run();
  expect([taken.events, taken.one.members]).toEqual([["-a"], 2]);
});

test("a merged user is the surviving one, named once; a suppressed one stays as it is", async () => {
  const merged = { m: "survivor", mm: "survivor" };
  const world = new World({
    rows: ["m", "mm", "s1"],
    members: ["survivor", "s22", "gone"],
    merged,
    suppressed: ["s1", "s22"],
  });
  await world.run();
  expect(world.events).toEqual(["-gone"]);
  expect(world.one).toMatchObject({ users: 2, suppressed: 1, added: 0, removed: 1 });
});

test("an empty list is held, and applied when somebody says so", async () => {
  const world = await new World({ rows: [], members: ["a", "b"] }).run();
  expect([world.one.state, world.one.removed, world.events]).toEqual(["held", 2, []]);
  world.one = confirmed(world.one, 2, 2);
  await world.run();
  expect([world.one.state, world.events]).toEqual(["applied", ["-a", "-b"]]);
  await world.run();
  expect(world.events).toHaveLength(2);
});

test("without all of its rows it is refused before anything is taken away; so is one of a deleted list", async () => {
  const world = new World({ rows: ["a", "b", "c", "d"], members: ["a", "b", "c"] });
  world.rows = ["a"];
  await world.run();
  expect([world.one.state, world.events]).toEqual(["refused", []]);
  const later = new World({ rows: ["a", "b", "c", "d"], members: ["a", "b", "c", "e"] });
  later.one = { ...later.one, isCompared: true, added: 1, removed: 1 };
  later.rows = ["a"];
  await later.run();
  expect([later.one.state, later.events]).toEqual(["refused", []]);
  const deleted = new World({ rows: ["a"], members: [] });
  deleted.isThere = false;
  await deleted.run();
  expect([deleted.one.state, deleted.events]).toEqual(["refused", []]);
});

test("five million users take 64 MB while they are compared", () => {
  const before = process.memoryUsage().arrayBuffers;
  const work = new World({ rows: [], members: [] }).work();
  const comparison = new Differences(importOf({ rows: 5_000_000 }), work, new AbortController().signal);
  const megabytes = (process.memoryUsage().arrayBuffers - before) / 1024 / 1024;
  expect([comparison, Math.round(megabytes)]).toEqual([comparison, 64]);
});

test("one waits, with nothing done, while others of ten million rows are compared", async () => {
  const world = new World({ rows: ["a"], members: [] });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const steps: number[] = [];
  const delay = async (): Promise<void> => {
    steps.push(world.steps);
    end();
  };
  world.room = new ComparisonRoom({ delay });
  for (let large = 0; large < 2; large += 1)
    void world.room.occupy(5_000_000, () => ended, new AbortController().signal);
  await world.run();
  expect([steps[0], world.one.state]).toEqual([0, "applied"]);
});

test("one that has ended is not worked on", async () => {
  const world = new World({ rows: ["a"], members: [] });
  world.one = applied(world.one, 5);
  await world.run();
  expect(world.steps).toBe(0);
});

test("that one has ended is written once more behind what a process that was cut off has written of it", async () => {
  const world = new World({ rows: ["a"], members: [] });
  world.one = applied(world.one, 5);
  world.isOvertaken = true;
  await world.run();
  expect([world.steps, world.one.state, world.events]).toEqual([1, "applied", []]);
});

test("whoever goes on after a death, before or after any durable step, ends with the same list, and writes nobody twice", async () => {
  const options: WorldOptions = { rows: names("n", 20), members: [...names("o", 9), "n3", "n44"] };
  const whole = await new World(options).run();
  expect(whole.steps).toBeGreaterThan(20);
  for (let died = 0; died < whole.steps; died += 1)
    for (const rest of [0, 0.5]) {
      const world = new World(options);
      world.stepsLeft = died + rest;
      await expect(world.run()).rejects.toThrow(Died);
      world.stepsLeft = Number.POSITIVE_INFINITY;
      await world.run();
      expect([...world.members].sort()).toEqual(names("n", 20).sort());
      expect(new Set(world.events).size).toBe(world.events.length);
      expect(world.one).toMatchObject({ state: "applied", added: 19, removed: 10 });
    }
});
