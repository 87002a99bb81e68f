import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { PackedMap } from "./packed-map.ts";

const text = (bytes: Buffer | undefined): string | undefined => bytes?.toString();

function setText(map: PackedMap, key: string, value: string): void {
  map.set(key, Buffer.from(value));
}

test("a value comes back byte for byte, under a key of any characters and length", () => {
  const map = new PackedMap();
  const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  const keys = ["", "k", "ключ", "Grüße, 世界", "x".repeat(1_000), "ü".repeat(1_000)];
  for (const key of keys) map.set(key, Buffer.concat([all, Buffer.from(key)]));
  for (const key of keys) expect(map.get(key)).toEqual(Buffer.concat([all, Buffer.from(key)]));
  expect(map.keys().toSorted()).toEqual(keys.toSorted());
  expect(map.get("other")).toBeUndefined();
});

test("what was given may be overwritten afterwards, and what was got too", () => {
  const map = new PackedMap();
  const given = Buffer.from("one");
  map.set("k", given);
  given.fill("x");
  map.get("k")?.fill("y");
  expect(text(map.get("k"))).toBe("one");
});

test("a million changes take no more than twice the room of what is there", () => {
  const map = new PackedMap();
  const value = (key: number, version: number): string => `${key}-${version}-${"x".repeat(1_000)}`;
  for (let version = 0; version < 20; version += 1) {
    for (let key = 0; key < 5_000; key += 1) setText(map, `k${key}`, value(key, version));
  }
  expect(map.sizeBytes).toBeLessThan(2 * 5_000 * 1_030 + 4 * 1024 * 1024);
  expect(map.sizeBytes).toBeGreaterThan(5_000 * 1_000);
  for (let key = 0; key < 5_000; key += 1) expect(text(map.get(`k${key}`))).toBe(value(key, 19));
});

test("values larger than a slab, and empty ones, are kept among the others", () => {
  const map = new PackedMap();
  const large = "y".repeat(3 * 1024 * 1024);
  setText(map, "before", "b");
  setText(map, "large", large);
  setText(map, "empty", "");
  setText(map, "before", "b2");
  expect(text(map.get("large"))).toBe(large);
  setText(map, "large", "small");
  expect(["before", "large", "empty"].map((key) => text(map.get(key)))).toEqual(["b2", "small", ""]);
});

test("whatever is set and deleted, it holds what a Map would", () => {
  const key = fc.integer({ min: 0, max: 60 }).map((number) => `${"ключ".repeat(number % 3)}${number}`);
  const change = fc.tuple(key, fc.option(fc.integer({ min: 0, max: 60_000 })));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300, size: "max" }), (changes) => {
      const map = new PackedMap();
      const model = new Map<string, string>();
      for (const [index, [name, length]] of changes.entries()) {
        const value = `${index}`.padEnd(length ?? 0, "z");
        if (length === null) map.delete(name);
        else setText(map, name, value);
        if (length === null) model.delete(name);
        else model.set(name, value);
      }
      expect(new Map(map.keys().map((name) => [name, text(map.get(name))]))).toEqual(model);
      expect(map.size).toBe(model.size);
    }),
    { numRuns: 60 },
  );
});
