import { describe, expect, test } from "@jest/globals";
import type { Admin, RawRecord, ReadRangeOptions } from "#kafka";
import type { Serde } from "#serde";
import { type Call, topicMap } from "#topics";
import { createCallsLog } from "./calls-log.ts";
import { call } from "./fixtures/calls.ts";

const topics = topicMap({ prefix: "p-", retryDelaysMs: [1] });
const TOPIC = "p-calls";

type Decoded = Call | Promise<Call>;

/** A partition 1 of three records, at 10 to 12; `decode` says what each is. */
function setup(decode: (value: string) => Decoded = (value) => call({ messageId: value })) {
  const ranges: ReadRangeOptions[] = [];
  const values: (string | null)[] = ["a", "b", "c"];
  const admin: Partial<Admin> = {
    committedOffsets: async (groupId, topic) =>
      groupId === "router" && topic === TOPIC
        ? new Map([
            [0, 5],
            [1, 11],
          ])
        : new Map(),
    offsets: async (topic) =>
      topic === TOPIC
        ? [
            { partition: 0, low: 0, high: 3 },
            { partition: 1, low: 10, high: 13 },
          ]
        : [],
    offsetForTime: async (_, timeMs) => [
      { partition: 0, offset: 1 },
      { partition: 1, offset: timeMs },
    ],
  };
  const log = createCallsLog({
    kafka: {
      async readRange(options) {
        ranges.push(options);
        for (let offset = options.fromOffset; offset < Math.min(options.toOffset, 13); offset += 1) {
          const value = values[offset - 10];
          const record: RawRecord = {
            topic: options.topic,
            partition: options.partition,
            offset,
            key: null,
            value: typeof value === "string" ? Buffer.from(value) : null,
            timestampMs: 1_000 + offset,
          };
          await options.onRecord(record);
        }
      },
    },
    admin: admin as Admin,
    serde: { decode: ((_, value) => decode(String(value))) as Serde["decode"] },
    topics,
    groupId: "router",
  });
  const ending = new AbortController();
  async function read(): Promise<[number, string][]> {
    const found: [number, string][] = [];
    const range = { partition: 1, fromOffset: 10, toOffset: 13, signal: ending.signal };
    await log.read({
      ...range,
      onCall: ({ offset, call: { messageId } }) => void found.push([offset, messageId]),
    });
    return found;
  }
  return { ending, log, ranges, read, values };
}

const poison = () => Object.assign(new Error("bad bytes"), { canRetry: false });

describe("the log of one partition's calls", () => {
  test("says where the group goes on, what is there, and where a time begins", async () => {
    const { log } = setup();
    expect([await log.committed(1), await log.committed(2)]).toEqual([11, undefined]);
    expect(await log.bounds(1)).toMatchObject({ low: 10, high: 13 });
    expect(await log.offsetAt(1, 77)).toBe(77);
    await expect(log.bounds(9)).rejects.toThrow("no partition 9");
  });

  test("says when a record was written, and nothing of one that is not there yet", async () => {
    const { ending, log, ranges } = setup();
    expect(await log.timeAt(1, 12, ending.signal)).toBe(1_012);
    expect(ranges).toMatchObject([{ topic: TOPIC, partition: 1, fromOffset: 12, toOffset: 13 }]);
    expect(ranges[0]?.signal).toBe(ending.signal);
    expect(await log.timeAt(1, 13, ending.signal)).toBeUndefined();
  });
});

describe("calls that are read again", () => {
  test("come with their places, tombstones and undecodable ones left out", async () => {
    const { ranges, read, values } = setup((value) => {
      if (value === "b") throw poison();
      return call({ messageId: value });
    });
    values.push(null);
    expect(await read()).toEqual([
      [10, "a"],
      [12, "c"],
    ]);
    values[0] = null;
    expect(await read()).toEqual([[12, "c"]]);
    expect(ranges[0]).toMatchObject({ topic: TOPIC, partition: 1, fromOffset: 10, toOffset: 13 });
  });

  test("come in order also when their schema is still to come", async () => {
    const { read } = setup(async (value) => {
      if (value === "b") throw poison();
      return call({ messageId: value });
    });
    expect(await read()).toEqual([
      [10, "a"],
      [12, "c"],
    ]);
  });

  test.each([
    [
      "at once",
      () => {
        throw new Error("no registry");
      },
    ],
    ["later", () => Promise.reject(new Error("no registry"))],
    ["with nothing that is an error", () => Promise.reject(null)],
  ] as [string, () => Decoded][])(
    "cannot be read when their schema cannot be had, said %s",
    async (_, decode) => {
      const { read } = setup(decode);
      await expect(read()).rejects.not.toBeUndefined();
    },
  );

  test("are not waited for at the end of the reading, while their schema does not come", async () => {
    const { ending, read } = setup(() => new Promise(() => undefined));
    const reading = read();
    ending.abort();
    await expect(reading).rejects.toThrow("was ended");
  });
});
