import { expect, test } from "@jest/globals";
import fc from "fast-check";
import type { RawRecord } from "../types.ts";
import { EncodedValues } from "./table-values.ts";

interface Text {
  readonly text: string;
}

function record(text: string | Buffer): RawRecord {
  return { topic: "t", partition: 0, offset: 0, key: "k", value: Buffer.from(text), timestampMs: 0 };
}

const decode = ({ value }: RawRecord): Text => ({ text: String(value) });

function set(values: EncodedValues<Text>, key: string, text: string): void {
  values.set(key, decode(record(text)), record(text));
}

test("a value is what its record said, also beyond ASCII", () => {
  const values = new EncodedValues<Text>("t", decode);
  set(values, "k", "Grüße, 世界");
  expect(values.get("k")).toEqual({ text: "Grüße, 世界" });
  expect(values.get("other")).toBeUndefined();
});

test("every byte comes back", () => {
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const values = new EncodedValues<Buffer>("t", ({ value }) => value ?? Buffer.alloc(0));
  values.set("k", all, record(all));
  expect(values.get("k")).toEqual(all);
});

test("a value asked for again is the same object, until it changes", () => {
  const values = new EncodedValues<Text>("t", decode);
  set(values, "k", "one");
  const first = values.get("k");
  expect(values.get("k")).toBe(first);
  set(values, "k", "two");
  expect(values.get("k")).toEqual({ text: "two" });
});

test("what is deleted is gone, and the rest is listed", () => {
  const values = new EncodedValues<Text>("t", decode);
  for (const key of ["a", "b", "c"]) set(values, key, key);
  values.get("b");
  values.delete("b");
  expect(values.get("b")).toBeUndefined();
  expect(values.size).toBe(2);
  expect([...values.entries()]).toEqual([
    ["a", { text: "a" }],
    ["c", { text: "c" }],
  ]);
});

test("only so many stay decoded", () => {
  let decodes = 0;
  const counting = (given: RawRecord): Text => {
    decodes += 1;
    return decode(given);
  };
  const values = new EncodedValues<Text>("t", counting, 2);
  for (const key of ["a", "b", "c"]) set(values, key, key);
  for (const key of ["a", "b", "c", "c", "b", "a"]) expect(values.get(key)).toEqual({ text: key });
  expect(decodes).toBe(4);
});

test("a million changes take no more than twice the room of what is there", () => {
  const values = new EncodedValues<Text>("t", decode);
  const text = (key: number, version: number): string => `${key}-${version}-${"x".repeat(1_000)}`;
  for (let version = 0; version < 20; version += 1) {
    for (let key = 0; key < 5_000; key += 1) set(values, `k${key}`, text(key, version));
  }
  const takenBytes = 5_000 * 1_030;
  expect(values.sizeBytes).toBeLessThan(2 * takenBytes + 4 * 1024 * 1024);
  expect(values.sizeBytes).toBeGreaterThan(5_000 * 1_000);
  for (let key = 0; key < 5_000; key += 1) expect(values.get(`k${key}`)?.text).toBe(text(key, 19));
});

test("values larger than a slab, and empty ones, are kept among the others", () => {
  const values = new EncodedValues<Text>("t", decode);
  const large = "y".repeat(3 * 1024 * 1024);
  set(values, "before", "b");
  set(values, "large", large);
  set(values, "empty", "");
  set(values, "before", "b2");
  expect(values.get("large")?.text).toBe(large);
  set(values, "large", "small");
  expect(["before", "large", "empty"].map((key) => values.get(key)?.text)).toEqual(["b2", "small", ""]);
});

test("whatever is set and deleted, it holds what a map would", () => {
  const key = fc.constantFrom("a", "b", "ключ", "d");
  const change = fc.tuple(key, fc.option(fc.integer({ min: 0, max: 400_000 })));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const values = new EncodedValues<Text>("t", decode, 1);
      const model = new Map<string, string>();
      for (const [index, [name, length]] of changes.entries()) {
        const text = length === null ? "" : `${index}`.padEnd(length, "z");
        if (length === null) values.delete(name);
        else set(values, name, text);
        if (length === null) model.delete(name);
        else model.set(name, text);
      }
      const held = [...values.entries()].map(([name, { text }]): [string, string] => [name, text]);
      expect(new Map(held)).toEqual(model);
      expect(values.size).toBe(model.size);
    }),
    { numRuns: 60 },
  );
});
