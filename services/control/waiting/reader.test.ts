import { expect, test } from "@jest/globals";
import { topicMap } from "#topics";
import { createWaitingReader } from "./reader.ts";

const topics = topicMap({ prefix: "", retryDelaysMs: [1_000, 2_000] });

test("a job that moves on while somebody looks is seen: the ends are looked at when all commits are known", async () => {
  const looks: string[] = [];
  const reader = createWaitingReader({
    kafka: { readRange: async () => undefined },
    admin: {
      async offsets(topic) {
        looks.push(topic === topics.deliveryWakes.name ? "wakes" : "end");
        return [];
      },
      async committedOffsets() {
        await new Promise(setImmediate);
        looks.push("committed");
        return new Map();
      },
      partitionCount: async () => 1,
    },
    serde: { decode: () => undefined as never },
    topics,
    groupId: "deliverer",
  });
  const signal = new AbortController().signal;
  await reader.scan({ destinationId: "d1", shards: 1, after: undefined, signal, onJob: () => undefined });
  expect(looks).toEqual(["wakes", "committed", "committed", "committed", "end", "end", "end"]);
});
