import { beforeEach, describe, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import { AdminClient } from "../admin/admin-client.ts";
import type { ClusterAdmin } from "../cluster.ts";
import { MetadataCache } from "./metadata.ts";

const FIVE_MINUTES_MS = 300_000;
const [FIRST, SECOND] = [
  { topic: "t", partition: 0 },
  { topic: "t", partition: 1 },
];

let host: TestHost;
/** The leaders of topic t, by partition. */
let leaders: number[];
let asked: number;
/** A promise that every answer waits for. */
let answer: Promise<void> | undefined;
let metadata: MetadataCache;

beforeEach(() => {
  host = new TestHost();
  leaders = [1, 2];
  asked = 0;
  answer = undefined;
  const cluster = {
    async shapes() {
      asked += 1;
      await answer;
      return new Map([["t", { leaders: [...leaders], replicationFactor: 1 }]]);
    },
    reset: async () => undefined,
  };
  metadata = new MetadataCache(new AdminClient(cluster as unknown as ClusterAdmin, host), host);
});

describe("what is known of a topic", () => {
  test("is nothing while the cluster does not know it: asking fails, and may be tried again", async () => {
    await expect(metadata.fetch("another")).rejects.toMatchObject({ code: "unknown_topic", canRetry: true });
    expect(metadata.partitionCount("another")).toBeUndefined();
  });

  test("nothing, before it was fetched: no partitions, no leader, and no request", async () => {
    expect([metadata.partitionCount("t"), metadata.leader(FIRST)]).toEqual([undefined, -1]);
    await host.advance(0);
    expect(asked).toBe(0);
    await metadata.fetch("t");
    expect([metadata.partitionCount("t"), metadata.leader(FIRST), metadata.leader(SECOND)]).toEqual([
      2, 1, 2,
    ]);
  });

  test("is believed for five minutes, and then asked for again while the old answer serves", async () => {
    await metadata.fetch("t");
    leaders = [2, 1];
    // Somebody sets the clock back.
    host.jump(-3_600_000);
    await host.advance(FIVE_MINUTES_MS);
    expect(metadata.leader(FIRST)).toBe(1);
    await host.advance(0);
    expect(asked).toBe(1);
    await host.advance(1);
    expect(metadata.leader(FIRST)).toBe(1);
    await host.advance(0);
    expect([asked, metadata.leader(FIRST)]).toEqual([2, 2]);
    await host.advance(0);
    expect(asked).toBe(2);
  });

  test("is asked for once, however many want it at the same time", async () => {
    const answered = Promise.withResolvers<void>();
    answer = answered.promise;
    const fetching = [metadata.fetch("t"), metadata.fetch("t")];
    metadata.renew("t");
    answered.resolve();
    await Promise.all(fetching);
    expect(asked).toBe(1);
    await metadata.fetch("t");
    expect(asked).toBe(2);
  });

  test("a partition without a leader has none, and a topic without partitions is unknown", async () => {
    leaders = [-1];
    await metadata.fetch("t");
    expect(metadata.leader(FIRST)).toBe(-1);
    leaders = [];
    await expect(metadata.fetch("t")).rejects.toMatchObject({ code: "unknown_topic", canRetry: true });
    expect(metadata.partitionCount("t")).toBe(1);
  });
});
