import { expect, test } from "@jest/globals";
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
  values.set(key, decode(record(text)), Buffer.from(text));
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
  values.set("k", all, all);
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
  expect(new Map(values.entries())).toEqual(
    new Map([
      ["a", { text: "a" }],
      ["c", { text: "c" }],
    ]),
  );
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
