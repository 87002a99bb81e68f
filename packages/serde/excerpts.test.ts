import { expect, test } from "@jest/globals";
import { allTopics, topicMap } from "#topics";
import { parseSchema, withFields } from "./avro.ts";
import { createExcerpt } from "./excerpts.ts";
import { readSchema } from "./schemas.ts";
import { fieldsOf, skipOf } from "./skip.ts";
import { HEADER_BYTES, headerOf } from "./wire.ts";

const ROUNDS = 50;
const topics = topicMap({ prefix: "t-", retryDelaysMs: [500] });
const records = [...new Set(allTopics(topics).map(({ record }) => record))];

/** Values of the type as records, each with what it holds. */
function* samples(record: (typeof records)[number]) {
  const type = parseSchema(readSchema(record));
  for (let round = 0; round < ROUNDS; round += 1) {
    const value = type.random();
    yield { type, value, bytes: Buffer.concat([headerOf(7), type.toBuffer(value)]) };
  }
}

test.each(records)("%s: all of its fields are all of its bytes", (record) => {
  for (const { type, bytes } of samples(record)) {
    const names = fieldsOf(type).map(({ name }) => name);
    const { cut } = createExcerpt(type, readSchema(record), names);
    expect(cut(bytes)).toEqual(bytes);
    expect(skipOf(type)(bytes, HEADER_BYTES)).toBe(bytes.length);
  }
});

const destination = readSchema("destination-config");
const FIELDS = ["enabled", "sourceIds", "filter", "pausedMs"];
const excerpt = createExcerpt(withFields(destination, FIELDS), destination, FIELDS);

test("some of its fields are read as from the whole record, from fewer bytes", () => {
  for (const { type, bytes } of samples("destination-config")) {
    const { enabled, sourceIds, filter, pausedMs } = Object(type.fromBuffer(bytes.subarray(HEADER_BYTES)));
    const made = excerpt.cut(bytes);
    expect(made.length).toBeLessThan(bytes.length);
    expect({ ...Object(excerpt.read(made, HEADER_BYTES)) }).toEqual({ enabled, sourceIds, filter, pausedMs });
  }
});

test("what was cut stays what it was, however much is cut after it", () => {
  const [first, ...others] = [...samples("destination-config")];
  const made = excerpt.cut(first?.bytes ?? Buffer.alloc(0));
  const copy = Buffer.from(made);
  for (let round = 0; round < 100; round += 1) for (const { bytes } of others) excerpt.cut(bytes);
  expect(made).toEqual(copy);
});

test("a shortened record is truncated wherever it ends, and a longer one is garbage", () => {
  const [{ bytes } = { bytes: Buffer.alloc(0) }] = samples("destination-config");
  for (let length = HEADER_BYTES; length < bytes.length; length += 1)
    expect(() => excerpt.cut(bytes.subarray(0, length))).toThrow(
      expect.objectContaining({ name: "PoisonRecordError", code: "truncated", canRetry: false }),
    );
  expect(() => excerpt.cut(Buffer.concat([bytes, Buffer.from([0])]))).toThrow(
    expect.objectContaining({ code: "garbage" }),
  );
});

test("damaged bytes are refused or cut, and an announced billion of elements does not loop", () => {
  for (const { bytes } of samples("destination-config")) {
    for (let at = HEADER_BYTES; at < bytes.length; at += 3) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      try {
        excerpt.cut(damaged);
      } catch (error) {
        expect(error).toMatchObject({ name: "PoisonRecordError" });
      }
    }
  }
  const billion = Buffer.from([0x80, 0xa8, 0xd6, 0xb9, 0x07]);
  const body = Buffer.concat([Buffer.from([0, 0, 1]), billion, billion]);
  expect(() => excerpt.cut(Buffer.concat([headerOf(7), body]))).toThrow(
    expect.objectContaining({ code: "truncated" }),
  );
});
