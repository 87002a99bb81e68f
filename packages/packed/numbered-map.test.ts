import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { NumberedMap } from "./numbered-map.ts";

const text = (bytes: Buffer): string => bytes.toString();

test("whatever is set and deleted, it holds what a Map would, and a key keeps its number", () => {
  const key = fc.integer({ min: 0, max: 60 }).map((number) => `${"ключ".repeat(number % 3)}${number}`);
  const change = fc.tuple(key, fc.option(fc.integer({ min: 0, max: 60_000 })));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300, size: "max" }), (changes) => {
      const map = new NumberedMap();
      const model = new Map<string, { readonly value: string; readonly number: number }>();
      for (const [index, [name, length]] of changes.entries()) {
        const value = `${index}`.padEnd(length ?? 0, "z");
        if (length === null) {
          map.delete(name);
          model.delete(name);
          continue;
        }
        const number = map.set(name, Buffer.from(value));
        expect(number).toBe(model.get(name)?.number ?? number);
        model.set(name, { value, number });
      }
      expect(map.size).toBe(model.size);
      expect(new Set(Array.from(model.values(), ({ number }) => number)).size).toBe(model.size);
      const held = Array.from(model, ([name, { number }]) => [
        map.keyOf(number),
        { value: text(map.valueOf(number)), number: map.numberOf(name) },
      ]);
      expect(held).toEqual([...model]);
      const numbers = Array.from(model.values(), ({ number }) => number);
      const byKey = numbers.toSorted((one, other) => map.compareKeys(one, other));
      const keys = [...model.keys()].sort((one, other) =>
        Buffer.compare(Buffer.from(one), Buffer.from(other)),
      );
      expect(byKey.map((number) => map.keyOf(number))).toEqual(keys);
    }),
    { numRuns: 30 },
  );
  expect(new NumberedMap().numberOf("none")).toBe(-1);
});

test("numbers of keys that are gone are given again", () => {
  const map = new NumberedMap();
  const value = Buffer.from("v");
  for (let round = 0; round < 5; round += 1) {
    for (let key = 0; key < 3_000; key += 1) expect(map.set(`${round}.${key}`, value)).toBeLessThan(3_000);
    for (let key = 0; key < 3_000; key += 1) map.delete(`${round}.${key}`);
  }
  expect(map.size).toBe(0);
});
