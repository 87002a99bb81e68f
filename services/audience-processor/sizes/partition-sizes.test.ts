// Counts of one partition, over deaths in front of and behind each durable step.
import { beforeEach, expect, test } from "@jest/globals";
import { createProfile, type Profile } from "#audiences";
import type { AudienceSize, ProfileMove } from "#topics";
import { PartitionSizes } from "./partition-sizes.ts";
import { SizesTail } from "./tail.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What is durable. */
class World {
  /** The changelog: profiles as they were written. */
  readonly log: {
    readonly key: string;
    readonly moves: readonly ProfileMove[];
    readonly isLate?: boolean;
  }[] = [];
  readonly rows = new Map<string, AudienceSize>();
  nowMs = 10 * DAY_MS;
  sizes: PartitionSizes;
  /** Of the process. */
  profiles = new Map<string, Profile>();

  constructor() {
    this.sizes = this.restart();
  }

  restart(): PartitionSizes {
    this.profiles = new Map();
    const rows = [...this.rows.values()];
    const mark = rows.find(({ id }) => id === "");
    const tail = new SizesTail();
    const moved = this.log.slice(mark?.countedTo ?? 0).filter(({ moves }) => moves.length > 0);
    for (const key of new Set(moved.map((record) => record.key))) tail.read(this.#newestOf(key));
    this.sizes = new PartitionSizes({
      ...{
        partition: 0,
        rows,
        batches: tail.batches,
        leastBatch: 16 * this.log.length,
        end: this.log.length,
      },
      isCounted: (id) => id !== "trait",
      onCounted: () => undefined,
      nowMs: () => this.nowMs,
    });
    return this.sizes;
  }

  /** What a former owner wrote late is the newest where nobody else has written. */
  #newestOf(id: string): readonly ProfileMove[] {
    const own = this.log.filter(({ key }) => key === id);
    return (own.findLast(({ isLate }) => isLate !== true) ?? own.at(-1))?.moves ?? [];
  }

  #profile(id: string): Profile {
    const moves = this.#newestOf(id);
    const known = this.profiles.get(id) ?? { ...createProfile(id, 0), ...(moves.length > 0 && { moves }) };
    this.profiles.set(id, known);
    return known;
  }

  /** The owner of before writes a profile that this one has not read, and dies. */
  lateWrite(former: PartitionSizes, id: string): void {
    const profile = { ...createProfile(id, 0), steps: [{ computationId: "a", by: 1 as const }] };
    former.take(profile);
    this.log.push({ key: id, moves: profile.moves, isLate: true });
  }

  /** Writes profiles in one batch: who has entered (1), has left (-1), or neither (0). */
  batch(users: Readonly<Record<string, 1 | -1 | 0>>, written = Object.keys(users).length): void {
    const changed = Object.entries(users).map(([id, by]) => {
      const profile = this.#profile(id);
      if (by !== 0) profile.steps = [...profile.steps, { computationId: "a", by }];
      this.sizes.take(profile);
      return { key: id, moves: profile.moves };
    });
    this.log.push(...changed.slice(0, written));
    if (written === changed.length) this.sizes.count(this.log.length);
  }

  flush({ rows: most = Number.POSITIVE_INFINITY, isMarked = true } = {}): void {
    const unwritten = this.sizes.unwritten();
    if (unwritten === undefined) return;
    for (const row of unwritten.rows.slice(0, most)) this.rows.set(`${row.id} ${row.day}`, row);
    if (!isMarked) return;
    this.rows.set("", unwritten.mark);
    unwritten.written();
  }

  /** Of the audience: what its rows say once all is written. */
  get counted() {
    this.flush();
    const own = [...this.rows.values()].filter(({ id }) => id === "a");
    const hours = own.flatMap((row) => row.hours);
    const last = own.reduce((one, other) => (other.day > one.day ? other : one));
    const sum = (name: "entered" | "left"): number => hours.reduce((total, hour) => total + hour[name], 0);
    return { members: last.members, entered: sum("entered"), left: sum("left") };
  }
}

let world: World;
beforeEach(() => {
  world = new World();
});

test("the mark moves on where nobody enters or leaves, so that a next owner has little to read", () => {
  world.batch({ u1: 1 });
  world.flush();
  const markedTo = () => world.rows.get("")?.countedTo;
  expect(markedTo()).toBe(1);
  for (let at = 1; at < 10_000; at += 1) world.batch({ u2: 0 });
  world.flush();
  expect(markedTo()).toBe(1);
  world.batch({ u2: 0 });
  world.flush();
  expect([markedTo(), world.counted.members]).toEqual([10_001, 1]);
});

test("who enters and leaves counts once, however often it is written", () => {
  world.batch({ u1: 1, u2: 1 });
  world.batch({ u1: 0 });
  world.flush();
  world.batch({ u1: -1, u3: 1 });
  expect(world.counted).toEqual({ members: 2, entered: 3, left: 1 });
  // What is in rows for sure goes with the next write.
  world.batch({ u1: 0, u2: 0, u3: 0 });
  expect(world.log.slice(-3).every(({ moves }) => moves.length === 0)).toBe(true);
});

test.each([
  ["before anything is written of it", {}, {}],
  ["before the mark", {}, { isMarked: false }],
  ["before the rows", {}, { rows: 0, isMarked: false }],
])("a death %s loses nothing and counts nothing twice, twice over", (_, before, flush) => {
  world.batch({ u1: 1, u2: 1 });
  world.flush(before);
  world.batch({ u1: -1, u3: 1 });
  world.batch({ u4: 1, u2: 0 });
  world.flush(flush);
  for (let deaths = 0; deaths < 2; deaths += 1) {
    world.restart();
    world.batch({ [`late ${deaths}`]: 1 });
  }
  world.restart();
  expect(world.counted).toEqual({ members: 5, entered: 6, left: 1 });
});

test("of a batch of which a part is written that part counts, and the rest when it comes again", () => {
  world.batch({ u1: 1 });
  world.batch({ u2: 1, u3: 1, u4: 1 }, 2);
  world.restart();
  world.batch({ u4: 1 });
  world.restart();
  expect(world.counted).toEqual({ members: 4, entered: 4, left: 0 });
});

test("a batch that was not written is not counted", () => {
  world.batch({ u1: 1 }, 0);
  world.sizes.drop();
  world.profiles.clear();
  world.batch({ u1: 1 });
  expect(world.counted).toEqual({ members: 1, entered: 1, left: 0 });
});

test("days have their own rows, of which one may be durable without the other; hours do not go back with a clock", () => {
  world.batch({ u1: 1 });
  world.flush();
  world.batch({ u2: 1 });
  world.nowMs += DAY_MS;
  world.batch({ u3: 1 });
  world.nowMs -= 2 * HOUR_MS;
  world.batch({ u4: 1 });
  const unwritten = world.sizes.unwritten();
  // The newer day alone.
  for (const row of unwritten?.rows ?? []) if (row.day === 11) world.rows.set(`${row.id} ${row.day}`, row);
  world.restart();
  expect(world.counted).toEqual({ members: 4, entered: 4, left: 0 });
  expect(
    [...world.rows.values()].flatMap(({ day, id, hours }) => (id === "a" ? [[day, hours.length]] : [])),
  ).toEqual([
    [10, 1],
    [11, 1],
  ]);
});

test("members are counted in the profiles where nobody has counted; computed traits never", () => {
  world.sizes.begin(
    new Map([
      ["a", 7],
      ["trait", 3],
    ]),
  );
  world.batch({ u1: -1 });
  expect(world.counted).toEqual({ members: 6, entered: 0, left: 1 });
  expect([...world.rows.values()].find(({ id }) => id === "a")?.isBeginning).toBe(true);
  expect([...world.rows.values()].some(({ id }) => id === "trait")).toBe(false);
});

test("what a former owner writes behind this one's is written over", () => {
  world.batch({ u1: 1 });
  world.flush();
  const late = world.rows.get("a 10") as AudienceSize;
  world.restart();
  world.batch({ u2: 1 });
  world.flush();
  world.rows.set("a 10", late);
  world.sizes.noticed(late);
  expect(world.counted).toEqual({ members: 2, entered: 2, left: 0 });
});

test("who a former owner lets in after the partition was taken counts once its profile is written again", () => {
  world.batch({ u1: 1 });
  const former = world.sizes;
  world.restart();
  world.lateWrite(former, "late");
  world.batch({ u2: 1 });
  world.flush();
  world.batch({ late: 0 });
  world.batch({ late: 0 });
  expect(world.counted).toEqual({ members: 3, entered: 3, left: 0 });
  world.restart();
  world.batch({ late: 0 });
  expect(world.counted).toEqual({ members: 3, entered: 3, left: 0 });
});

test("what a former owner writes late of a profile that was written since counts for no later owner", () => {
  world.batch({ u1: 1 });
  const former = world.sizes;
  world.restart();
  world.batch({ u2: 0 });
  world.flush();
  world.lateWrite(former, "u2");
  world.restart();
  expect(world.counted).toEqual({ members: 1, entered: 1, left: 0 });
});
