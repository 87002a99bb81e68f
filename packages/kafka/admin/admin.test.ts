import { describe, expect, test } from "@jest/globals";
import type { TopicSpec } from "../admin-types.ts";
import { names, type ScratchKafka, scratchKafka, useScratchKafka } from "../fixtures/scratch-kafka.ts";

const ONE_BROKER = { partitions: 2, replicationFactor: 1, minInsyncReplicas: 1 };

let brokers: readonly string[];
let scratch: ScratchKafka;

useScratchKafka((given) => {
  ({ brokers, scratch } = given);
});

describe("admin", () => {
  test("topics are created as described; a second time nothing is created and nothing differs", async () => {
    const specs: TopicSpec[] = [
      { name: `${scratch.prefix}events`, cleanup: { policy: "delete", retentionMs: 7_200_000 } },
      { name: `${scratch.prefix}config`, cleanup: { policy: "compact" } },
    ];
    const admin = scratch.kafka.admin();
    expect(await admin.ensureTopics(specs, ONE_BROKER)).toEqual({
      created: specs.map(({ name }) => name),
      differing: [],
      raised: [],
    });
    expect(await admin.ensureTopics(specs, ONE_BROKER)).toEqual({ created: [], differing: [], raised: [] });
    expect(await admin.partitionCount(`${scratch.prefix}events`)).toBe(2);
    await admin.deleteTopics(specs.map(({ name }) => name));
  });

  test("two processes that create the same topics at once both succeed", async () => {
    const specs: TopicSpec[] = names(`${scratch.prefix}n`, 3).map((name) => ({
      name,
      cleanup: { policy: "compact" },
    }));
    const other = scratchKafka(brokers);
    const results = await Promise.all(
      [scratch, other].map(({ kafka }) => kafka.admin().ensureTopics(specs, ONE_BROKER)),
    );
    for (const { differing } of results) expect(differing).toEqual([]);
    await other.close();
    await scratch.kafka.admin().deleteTopics(specs.map(({ name }) => name));
  });
});
