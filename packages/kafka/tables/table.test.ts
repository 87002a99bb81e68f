import { beforeEach, describe, expect, test } from "@jest/globals";
import { groupIds } from "#support/kafka-access";
import { names, record, type ScratchKafka, useScratchKafka } from "../fixtures/scratch-kafka.ts";
import type { Producer, RawRecord } from "../types.ts";

/** Long: that a change is in force within a second is a test of whole services. */
const WITHIN_MS = 60_000;

let brokers: readonly string[];
let scratch: ScratchKafka;
let producer: Producer;
let topic: string;

useScratchKafka((given) => {
  ({ brokers, scratch } = given);
});

beforeEach(async () => {
  producer = scratch.kafka.producer();
  [topic = ""] = await scratch.topics(["config"], 3, { policy: "compact" });
});

function decode({ value }: RawRecord): string {
  return String(value);
}

describe("table", () => {
  test("loading ends with everything that was there, the last value of each key", async () => {
    await producer.send(names("k", 30).map((key) => record(topic, key, "old")));
    await producer.send(names("k", 30).map((key) => record(topic, key, `${key} new`)));
    await producer.send([record(topic, "k7", null)]);
    const table = scratch.kafka.table({ topic, decode });
    expect(table.loaded).toBe(false);
    await table.load();
    expect(table.loaded).toBe(true);
    expect(table.size).toBe(29);
    expect(table.get("k8")).toBe("k8 new");
    expect(table.get("k7")).toBeUndefined();
  });

  test("changes and deletions arrive, and their listeners hear of them", async () => {
    const table = scratch.kafka.table({ topic, decode });
    await table.load();
    const heard: [string, string | undefined][] = [];
    const stop = table.onChange((key, value) => heard.push([key, value]));
    await producer.send([record(topic, "a", "1")]);
    await table.until(() => table.get("a") === "1", WITHIN_MS);
    await producer.send([record(topic, "a", null)]);
    await table.until(() => table.get("a") === undefined, WITHIN_MS);
    stop();
    await producer.send([record(topic, "a", "2")]);
    await table.until(() => table.get("a") === "2", WITHIN_MS);
    expect(heard).toEqual([
      ["a", "1"],
      ["a", undefined],
    ]);
  });

  test("with decodeForListeners, listeners get what it decodes, and values are decoded when they are asked for", async () => {
    let decodes = 0;
    const table = scratch.kafka.table<{ text: string; length: number }, { length: number }>({
      topic,
      decode: (raw) => {
        decodes += 1;
        return { text: decode(raw), length: decode(raw).length };
      },
      decodeForListeners: (raw) => {
        if (decode(raw) === "bad") throw Object.assign(new Error("garbage"), { canRetry: false });
        return { length: decode(raw).length };
      },
    });
    const heard: [string, number | undefined, number | undefined][] = [];
    table.onChange((key, value, before) => heard.push([key, value?.length, before?.length]));
    await producer.send([record(topic, "a", "one"), record(topic, "b", "bad"), record(topic, "c", "x")]);
    await table.load();
    expect(decodes).toBe(0);
    expect([table.size, table.get("a")?.text, table.get("b")]).toEqual([2, "one", undefined]);
    await producer.send([record(topic, "a", "three"), record(topic, "a", null)]);
    await table.until(() => table.get("a") === undefined, WITHIN_MS);
    expect(heard.filter(([key]) => key === "a")).toEqual([
      ["a", 3, undefined],
      ["a", 5, 3],
      ["a", undefined, 5],
    ]);
  });

  test("with an excerpt, it keeps that alone, and tells its listeners what that says", async () => {
    const poisoned: (string | null)[] = [];
    const table = scratch.kafka.table<string>({
      topic,
      excerpt: async ({ value }) => (value ?? Buffer.alloc(0)).subarray(0, 3),
      decode: (raw) => {
        if (decode(raw) === "bad") throw Object.assign(new Error("garbage"), { canRetry: false });
        return decode(raw);
      },
      onPoison: ({ key }) => void poisoned.push(key),
    });
    const heard: unknown[][] = [];
    table.onChange((...change) => void heard.push(change));
    await producer.send(["one more", "two more", "bad one"].map((value) => record(topic, "a", value)));
    await table.load();
    expect(heard).toEqual([
      ["a", "one", undefined],
      ["a", "two", "one"],
    ]);
    expect([table.get("a"), [...table.entries()], poisoned]).toEqual(["two", [["a", "two"]], ["a"]]);
  });

  test("with both, listeners are told what is read from the excerpt", async () => {
    const table = scratch.kafka.table<string, string>({
      topic,
      excerpt: ({ value }) => (value ?? Buffer.alloc(0)).subarray(0, 3),
      decode,
      decodeForListeners: decode,
    });
    const heard: unknown[][] = [];
    table.onChange((...change) => void heard.push(change));
    await producer.send([record(topic, "a", "one more")]);
    await table.load();
    expect([heard, table.get("a")]).toEqual([[["a", "one", undefined]], "one"]);
  });

  test("what a change replaces is not decoded for nobody", async () => {
    let decodes = 0;
    const table = scratch.kafka.table<string, string>({
      topic,
      decode: (raw) => {
        decodes += 1;
        return decode(raw);
      },
      decodeForListeners: decode,
    });
    await producer.send(["1", "2", "3", null, "4"].map((value) => record(topic, "a", value)));
    await table.load();
    expect(decodes).toBe(0);
    expect(table.get("a")).toBe("4");
  });

  test("those of a process follow in no consumer group", async () => {
    const tables = [scratch.kafka.table({ topic, decode }), scratch.kafka.table({ topic, decode })];
    await producer.send([record(topic, "a", "1")]);
    for (const table of tables) {
      await table.load();
      expect(table.get("a")).toBe("1");
    }
    expect(await groupIds(brokers, scratch.prefix)).toEqual([]);
    await producer.send([record(topic, "a", "2")]);
    for (const table of tables) await table.until(() => table.get("a") === "2", WITHIN_MS);
  });
});
