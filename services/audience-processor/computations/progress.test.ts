import { beforeEach, expect, test } from "@jest/globals";
import type { OutgoingRecord, TableListener } from "#kafka";
import type { AudienceProgress } from "#topics";
import { Progress } from "./progress.ts";

const BEGUN: AudienceProgress = {
  id: "a",
  partition: 3,
  generation: 1,
  state: "preparing",
  isPaused: false,
  profilesDone: 0,
  profilesTotal: 0,
  cursor: null,
  fenceOffset: 0,
  eventsDone: 0,
  eventsTotal: 0,
  coverageFromMs: null,
  isPartial: false,
  members: 0,
  incompleteProfiles: 0,
  isFirstOver: false,
  updatedAtMs: 0,
};

let progress: Progress;
let written: AudienceProgress[];
/** By key. */
let table: Map<string, AudienceProgress>;
let inTable: TableListener<AudienceProgress>;
let ended: string[];
/** Acknowledge one write each. */
let acknowledge: (() => void)[];
let isHeld: boolean;

beforeEach(() => {
  written = [];
  ended = [];
  acknowledge = [];
  isHeld = false;
  table = new Map();
  const followed = {
    get: (key: string) => table.get(key),
    entries: () => table.entries(),
    onChange(listener: TableListener<AudienceProgress>) {
      inTable = listener;
      return () => undefined;
    },
  };
  progress = new Progress({
    table: followed,
    record: (each) => {
      written.push(each);
      return { topic: "audience-progress", key: each.id, value: null } as OutgoingRecord;
    },
    end(key) {
      ended.push(key);
      return { topic: "audience-progress", key, value: null };
    },
    send: async () => {
      if (isHeld) await new Promise<void>((resolve) => acknowledge.push(resolve));
    },
    host: { now: () => 7, setInterval: () => ({ clear: () => undefined }) },
    onError: () => undefined,
  });
});

test("what changes before the first pass for a computation begins counts with its first report, once", async () => {
  progress.setMembers("a", 3, 2);
  progress.setMembers("a", 3, 1);
  progress.addIncomplete("a", 3, 1);
  expect(progress.of("a", 3)).toBeUndefined();
  progress.report(BEGUN);
  expect(progress.of("a", 3)).toEqual({ ...BEGUN, members: 1, incompleteProfiles: 1 });
  progress.setMembers("a", 3, 2);
  await progress.write();
  expect(written).toEqual([{ ...BEGUN, members: 2, incompleteProfiles: 1, updatedAtMs: 7 }]);
  progress.report(BEGUN);
  expect(progress.of("a", 3)?.members).toBe(0);
});

test("what was counted of a partition that is another's by now does not", () => {
  progress.setMembers("a", 3, 1);
  progress.setMembers("a", 4, 1);
  progress.forget(3);
  progress.report(BEGUN);
  progress.report({ ...BEGUN, partition: 4 });
  expect([3, 4].map((partition) => progress.of("a", partition)?.members)).toEqual([0, 1]);
});

test("what is said of forgotten computations ends in owned partitions alone, and again where a former owner writes behind it", async () => {
  const rows = ["a", "b", "leaf:a"].flatMap((id) => [3, 4].map((partition) => ({ ...BEGUN, id, partition })));
  for (const row of rows) table.set(`${row.id}:${row.partition}`, row);
  progress.report({ ...BEGUN, state: "deleted" });
  const look = () =>
    progress.endForgotten(
      (id) => id === "a",
      (partition) => partition === 3,
    );
  await look();
  expect(ended).toEqual(["a:3"]);
  await progress.write();
  expect(written).toEqual([]);
  table.delete("a:3");
  await look();
  expect([ended.length, progress.of("a", 3), progress.of("b", 3)?.id]).toEqual([1, undefined, "b"]);
  table.set("a:3", BEGUN);
  await look();
  expect(ended).toEqual(["a:3", "a:3"]);
});

test("what a former owner ends late is written again", async () => {
  progress.report(BEGUN);
  await progress.write();
  inTable("a:3", undefined, BEGUN);
  await progress.write();
  expect(written).toEqual([BEGUN, BEGUN]);
});

test("what is to be durable is acknowledged, also where several wait for one write to end and one of them begins the next", async () => {
  isHeld = true;
  const durable: string[] = [];
  for (const id of ["a", "b", "c"])
    void progress.reportDurably([{ ...BEGUN, id }]).then(() => durable.push(id));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  acknowledge.shift()?.();
  await turn();
  expect([written.map(({ id }) => id), durable]).toEqual([["a", "b", "c"], ["a"]]);
  acknowledge.shift()?.();
  await turn();
  expect(durable).toEqual(["a", "b", "c"]);
});

test("changes are those of what is known, here or in the table, and not of its counts", () => {
  const changed = (change: () => void): boolean => {
    const before = progress.changes;
    change();
    return progress.changes !== before;
  };
  const live = { ...BEGUN, state: "live" } as const;
  expect(changed(() => progress.report(BEGUN))).toBe(true);
  expect(changed(() => progress.setMembers("a", 3, 1))).toBe(false);
  expect(changed(() => inTable("a:3", BEGUN, undefined))).toBe(true);
  expect(changed(() => inTable("a:3", { ...BEGUN, members: 7, updatedAtMs: 9 }, BEGUN))).toBe(false);
  expect(changed(() => inTable("a:3", live, BEGUN))).toBe(true);
  expect(changed(() => inTable("a:3", undefined, live))).toBe(true);
  expect(changed(() => progress.forget(3))).toBe(true);
});

test("ids of a partition are those of which something is known, here or in the table", () => {
  const ids = () => [3, 4].map((partition) => [...progress.idsOf(partition)].toSorted().join());
  const put = (row: AudienceProgress) => {
    table.set(`${row.id}:${row.partition}`, row);
    inTable(`${row.id}:${row.partition}`, row, undefined);
  };
  const end = (row: AudienceProgress) => {
    table.delete(`${row.id}:${row.partition}`);
    inTable(`${row.id}:${row.partition}`, undefined, row);
  };
  put({ ...BEGUN, id: "b" });
  put({ ...BEGUN, id: "b", partition: 4 });
  progress.report(BEGUN);
  expect(ids()).toEqual(["a,b", "b"]);
  put(BEGUN);
  end(BEGUN);
  end({ ...BEGUN, id: "b", partition: 4 });
  expect(ids()).toEqual(["a,b", ""]);
  progress.forget(3);
  expect(ids()).toEqual(["b", ""]);
});
