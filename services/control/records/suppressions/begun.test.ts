import { describe, expect, test } from "@jest/globals";
import type { OutgoingRecord } from "#kafka";
import { topicMap } from "#topics";
import { followBegun } from "./begun.ts";

const topic = topicMap({ prefix: "", retryDelaysMs: [1_000] }).suppressionsBegun;

/** A topic of suppressions and its witness, which refuses the first `failures` records. */
function setup({ had = 0, failures = 0 } = {}) {
  const written: OutgoingRecord[] = [];
  const listeners: (() => void)[] = [];
  let left = failures;
  followBegun({
    topic,
    table: {
      onChange(listener) {
        listeners.push(() => listener("*", true, undefined));
        return () => undefined;
      },
    },
    admin: { offsets: async () => [{ partition: 0, low: 0, high: had + written.length }] },
    producer: {
      async send(records) {
        left -= 1;
        if (left >= 0) throw new Error("Kafka is away");
        written.push(...records);
      },
    },
    logger: { debug: () => undefined },
  });
  async function change(): Promise<void> {
    for (const tell of listeners) tell();
    await new Promise(setImmediate);
  }
  return { change, written };
}

describe("the witness of the suppressions", () => {
  test("has one record from the first suppression on, and none before", async () => {
    const { change, written } = setup();
    expect(written).toEqual([]);
    await change();
    await change();
    expect(written).toEqual([{ topic: "suppressions-begun", key: "begun", value: null }]);
  });

  test("gets no second record at a later start", async () => {
    const { change, written } = setup({ had: 1 });
    await change();
    expect(written).toEqual([]);
  });

  test("that could not be written is written with the next change", async () => {
    const { change, written } = setup({ failures: 1 });
    await change();
    expect(written).toEqual([]);
    await change();
    expect(written).toHaveLength(1);
  });
});
