import { expect, test } from "@jest/globals";
import { AvroReader } from "./avro-reader.ts";

/** A number of less than 64, either sign, as Avro writes it. */
function long(value: number): number {
  return value >= 0 ? 2 * value : -2 * value - 1;
}

function readerOf(...bytes: number[]): AvroReader {
  const reader = new AvroReader();
  reader.begin(Buffer.from(bytes), 0);
  return reader;
}

const DOUBLE = [...new Uint8Array(new Float64Array([1.5]).buffer)];

test("arrays may come in several blocks, each with or without its size in bytes", () => {
  const reader = readerOf(
    // Two numbers, then one with the size of its block.
    ...[long(2), long(7), long(-3), long(-1), long(1), long(9), long(0)],
    // One text and another one.
    ...[long(1), long(1), 0x61, long(1), long(1), 0x62, long(0)],
    ...[long(1), ...DOUBLE, long(-1), long(8), ...DOUBLE, long(0)],
  );
  expect(reader.longs()).toEqual([7, -3, 9]);
  expect(reader.texts()).toEqual(["a", "b"]);
  expect(reader.doubles()).toEqual([1.5, 1.5]);
  reader.end();
});

test("an array without elements is empty, each time", () => {
  const reader = readerOf(long(0), long(0), long(0), long(0));
  expect([reader.longs(), reader.longs(), reader.doubles(), reader.texts()]).toEqual([[], [], [], []]);
  reader.end();
});

test.each([
  ["numbers", (reader: AvroReader) => reader.longs()],
  ["texts", (reader: AvroReader) => reader.texts()],
  ["elements", (reader: AvroReader) => reader.each(() => reader.long())],
])("an array of more %s than there are bytes is refused before room is made for it", (_, read) => {
  // 2^34 elements, of which two follow.
  const reader = readerOf(0x80, 0x80, 0x80, 0x80, 0x80, 0x01, long(1), long(1));
  expect(() => read(reader)).toThrow("the value ends inside an array");
});

test("doubles that end too early are refused", () => {
  expect(() => readerOf(long(2), ...DOUBLE, long(0)).doubles()).toThrow("the value ends inside a field");
});
