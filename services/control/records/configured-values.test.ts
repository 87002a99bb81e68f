import { deserialize, serialize } from "node:v8";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { systemHost } from "#host";
import { byAge } from "../http/pages.ts";
import { ConfiguredValues, toldWith } from "./configured-values.ts";
import { listingOf } from "./fixtures/listing.ts";
import { Slices } from "./profiles/slices.ts";

interface Entry {
  readonly id: string;
  readonly createdAtMs: number;
  readonly groups: readonly string[];
  readonly text: string;
}

const groupsOf = ({ groups }: Entry): readonly string[] => groups;
const decode = (bytes: Buffer): Entry => deserialize(bytes);

function emptyValues(slices: Pick<Slices, "begin"> = new Slices(systemHost)) {
  const row = (bytes: Buffer) => ({ text: decode(bytes).text });
  return new ConfiguredValues<Entry, Entry, { text: string }>(
    { whole: decode, told: decode, row, groupsOf },
    slices,
  );
}

function put(values: ReturnType<typeof emptyValues>, entry: Entry): void {
  values.set(entry.id, entry, serialize(entry));
}

async function idsOf(rows: AsyncIterable<readonly { readonly id: string }[]>): Promise<string[]> {
  const ids: string[] = [];
  for await (const some of rows) ids.push(...some.map(({ id }) => id));
  return ids;
}

const GROUPS = ["a", "b", "c"];
const entries = fc.record({
  id: fc.integer({ min: 0, max: 40 }).map((number) => `${"é".repeat(number % 3)}${number}`),
  createdAtMs: fc.integer({ min: 0, max: 5 }),
  groups: fc.subarray(GROUPS),
  text: fc.integer({ min: 0, max: 30_000 }).map((length) => "z".repeat(length)),
});
const changes = fc.array(fc.tuple(entries, fc.boolean()), { maxLength: 120, size: "max" });

test("whatever comes, changes and goes, its lists are those of a sorted array", async () => {
  await fc.assert(
    fc.asyncProperty(changes, async (drawn) => {
      const model = new Map<string, Entry>();
      const values = emptyValues();
      for (const [entry, isDeletion] of drawn) {
        if (isDeletion) model.delete(entry.id);
        else model.set(entry.id, entry);
        if (isDeletion) values.delete(entry.id);
        else put(values, entry);
      }
      const expected = listingOf(() => [...model.values()], groupsOf);
      expect(values.size).toBe(expected.size);
      for (const group of GROUPS) {
        expect(values.in(group)).toEqual(expected.in(group));
        expect(values.countIn(group)).toBe(expected.countIn(group));
        expect([...values.idsIn(group)].sort()).toEqual([...expected.idsIn(group)].sort());
        expect(values.hasAny(group)).toBe(expected.hasAny(group));
      }
      for (const isNewestFirst of [false, true])
        for (const after of [undefined, { id: "20", createdAtMs: 2 }, ...expected.in("a").slice(0, 1)])
          expect(await idsOf(values.rows({ isNewestFirst, after, atOnce: 7 }))).toEqual(
            await idsOf(expected.rows({ isNewestFirst, after, atOnce: 100 })),
          );
      for (const id of ["0", "é1", "éé2", "20"]) {
        expect(values.placeOf(id)).toEqual(expected.placeOf(id));
        for (const look of [values.peek(id), values.get(id)]) expect(look).toEqual(expected.get(id));
      }
      const sorted = [...model.values()].sort(byAge);
      expect([...values.entries()]).toEqual(sorted.map((entry) => [entry.id, entry]));
    }),
    { numRuns: 20 },
  );
});

const made = (number: number): Entry => ({
  id: `d${String(number).padStart(6, "0")}`,
  createdAtMs: Math.floor(number / 3),
  groups: [],
  text: `${number}`,
});

test("a list that changes meanwhile has each entry once that was there all the time", async () => {
  const values = emptyValues();
  const count = 5_000;
  for (let number = 0; number < count; number += 1) put(values, made((number * 1_237) % count));
  const gone = new Set<string>();
  const seen: string[] = [];
  for await (const rows of values.rows({ atOnce: 100 })) {
    seen.push(...rows.map(({ text }) => text));
    // The last one that was seen, and one that comes later.
    for (const number of [Number(rows.at(-1)?.text), Number(rows.at(-1)?.text) + 30]) {
      values.delete(made(number).id);
      gone.add(`${number}`);
    }
    put(values, { ...made(0), id: `early${seen.length}` });
  }
  const all = Array.from({ length: count }, (_, number) => `${number}`);
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.filter((text) => !gone.has(text))).toEqual(all.filter((text) => !gone.has(text)));
});

test("each turn of the event loop is asked for before rows are read", async () => {
  let turns = 0;
  const begin = () => () => {
    turns += 1;
    return undefined;
  };
  const values = emptyValues({ begin });
  for (let number = 0; number < 1_200; number += 1) put(values, made(number));
  expect(await idsOf(values.rows())).toHaveLength(1_200);
  expect(turns).toBe(3);
});

test("a record waits for the schema of lists, also when one before it has brought that of tellings", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isListed = false;
  const told = toldWith(
    () => "told",
    () => isListed || promise,
  );
  const bytes = Buffer.from([0, 0, 0, 0, 7]);
  const waiting = told(bytes);
  expect(waiting).toBeInstanceOf(Promise);
  isListed = true;
  resolve();
  expect([await waiting, told(bytes), told(bytes)]).toEqual(["told", "told", "told"]);
});
