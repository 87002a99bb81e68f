import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { type DeliveryJob, untriedJob } from "#topics";
import { type RetryAsked, retryDestination } from "./commands.ts";
import type { WaitingParts } from "./parts.ts";

/** Two calls with one messageId, and one of a user without a userId. */
const WAITING = [
  job({ jobId: "j1", messageId: "m1", userId: "u1" }),
  job({ jobId: "j2", messageId: "m1", userId: "u2" }),
  job({ jobId: "j3", messageId: "m3", userId: null, anonymousId: "a3" }),
];

function job(changes: Pick<DeliveryJob, "jobId" | "messageId" | "userId"> & { anonymousId?: string }) {
  const of = { destinationId: "d1", shard: 0, sourceId: "s1", anonymousId: null, type: "track" as const };
  return untriedJob({ ...of, receivedAtMs: 0, replayId: null, body: Buffer.from("{}"), ...changes });
}

/** What is asked of the deliverers. */
async function askedFor(asked: RetryAsked) {
  const wishes: unknown[] = [];
  const parts = {
    changes: { decide: async (work: () => unknown) => work() },
    destinations: { get: () => ({ id: "d1", enabled: true, pausedAtMs: null, shards: null }) },
    waiting: {
      async scan({ onJob }: Parameters<WaitingParts["waiting"]["scan"]>[0]) {
        for (const offset of WAITING.keys())
          await onJob({
            place: { topic: 1, partition: 0, offset },
            topicName: "retry",
            value: Buffer.alloc(0),
          });
      },
      decode: async ({ place }: Parameters<WaitingParts["waiting"]["decode"]>[0]) => WAITING[place.offset],
    },
    host: systemHost,
    audit: { record: async () => undefined },
    retryRequests: { ask: async (wish: unknown) => void wishes.push(wish) },
  };
  const by = { token: "t" };
  const { notWaiting } = await retryDestination(
    parts as unknown as WaitingParts,
    { id: "d1", by } as never,
    asked,
  );
  return { wishes, notWaiting };
}

test.each<[RetryAsked, jobIds: string[] | null, notWaiting: string[]]>([
  [{}, null, []],
  [{ messageIds: ["m1"] }, ["j1", "j2"], []],
  [{ messageIds: ["m1", "gone"], userId: "u2" }, ["j2"], ["gone"]],
  [{ userId: "u1" }, ["j1"], []],
  [{ anonymousId: "a3" }, ["j3"], []],
  [{ userId: "a3" }, [], []],
  [{ messageIds: ["gone"] }, [], ["gone"]],
])("of the calls that wait, %j asks for %j", async (asked, jobIds, notWaiting) => {
  const found = jobIds?.length ?? WAITING.length;
  const wishes = [{ destinationId: "d1", kind: "retry", jobIds, found }];
  expect(await askedFor(asked)).toEqual({ wishes, notWaiting });
});
