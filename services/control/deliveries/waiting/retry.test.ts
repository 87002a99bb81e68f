import { describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { type DeliveryJob, EVERY_CALL, type RetryChoice, untriedJob } from "#topics";
import { type RetryAsked, retryDestination } from "./commands.ts";
import { countRetried } from "./dry-run.ts";
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

interface Waits {
  readonly isDry?: boolean;
  readonly jobs?: readonly DeliveryJob[];
  /** False: the look at what waits is over before its end. */
  readonly isComplete?: boolean;
}

/** What is asked of the deliverers, and answered. */
async function askedFor(asked: RetryAsked, { jobs = WAITING, isComplete = true, isDry = false }: Waits = {}) {
  const wishes: unknown[] = [];
  const audited: unknown[] = [];
  const parts = {
    changes: { decide: async (work: () => unknown) => work() },
    destinations: { get: () => ({ id: "d1", enabled: true, pausedAtMs: null, shards: null }) },
    waiting: {
      async scan({ onJob }: Parameters<WaitingParts["waiting"]["scan"]>[0]) {
        for (const offset of jobs.keys()) {
          const place = { topic: 1, partition: 0, offset };
          await onJob({ place, topicName: "retry", value: Buffer.alloc(0) });
        }
        return isComplete ? undefined : { topic: 1, partition: 0, offset: jobs.length };
      },
      decode: async ({ place }: Parameters<WaitingParts["waiting"]["decode"]>[0]) => jobs[place.offset],
    },
    host: systemHost,
    audit: { record: async ({ after }: { after: unknown }) => void audited.push(after) },
    retryRequests: { ask: async (wish: unknown) => void wishes.push(wish) },
  };
  const by = { token: "t" };
  if (isDry)
    return { wishes, audited, counted: await countRetried(parts as unknown as WaitingParts, "d1", asked) };
  const { notWaiting } = await retryDestination(
    parts as unknown as WaitingParts,
    { id: "d1", by } as never,
    asked,
  );
  return { wishes, audited, notWaiting };
}

const wishOf = (choice: Partial<RetryChoice>, found: number | null) => [
  { destinationId: "d1", kind: "retry", ...EVERY_CALL, ...choice, found },
];

test.each<[RetryAsked, found: number, notWaiting: string[]]>([
  [{}, 3, []],
  [{ messageIds: ["m1"] }, 2, []],
  [{ messageIds: ["m1", "gone"], userId: "u2" }, 1, ["gone"]],
  [{ messageIds: ["m1", "m3"], userId: "u2" }, 1, ["m3"]],
  [{ userId: "u1" }, 1, []],
  [{ anonymousId: "a3" }, 1, []],
  [{ userId: "a3" }, 0, []],
  [{ messageIds: ["gone"] }, 0, ["gone"]],
])(
  "%j is asked of the deliverers as it is; of the calls that wait %j are meant",
  async (asked, found, notWaiting) => {
    const audited = [{ ...asked, calls: found }];
    expect(await askedFor(asked)).toEqual({
      wishes: wishOf(asked as RetryChoice, found),
      audited,
      notWaiting,
    });
  },
);

test.each([
  [{}, { calls: 3, atLeast: 3 }, true],
  [{ messageIds: ["m1"], userId: "u2" }, { calls: 1, atLeast: 1 }, true],
  [{}, { calls: null, atLeast: 3 }, false],
] as const)("a dry run of %j counts them, and asks nothing of anybody", async (asked, count, isComplete) => {
  const counted = { ...count, skipped: 0, recordsRead: null, recordsToRead: null };
  expect(await askedFor(asked, { isComplete, isDry: true })).toEqual({ wishes: [], audited: [], counted });
});

describe("where more waits than is looked at in time", () => {
  test.each<RetryAsked>([{ userId: "u1" }, { messageIds: ["m1", "m9"] }, {}])(
    "%j is asked for all the same, and neither how many wait is said, nor that one does not",
    async (asked) => {
      const audited = [{ ...asked, calls: null }];
      const wishes = wishOf(asked as RetryChoice, null);
      expect(await askedFor(asked, { isComplete: false })).toEqual({
        wishes,
        audited,
        notWaiting: undefined,
      });
    },
  );
});

test("of 15,000 calls of a user, and of one that waits behind them, each is found", async () => {
  const many = Array.from({ length: 15_000 }, (_, index) =>
    job({ jobId: `j${index}`, messageId: `m${index}`, userId: "u1" }),
  );
  const { notWaiting, wishes } = await askedFor({ userId: "u1" }, { jobs: many });
  expect([wishes, notWaiting]).toEqual([wishOf({ userId: "u1" }, 15_000), []]);
  const users = many.map((each, index) => ({ ...each, messageId: "m", userId: `u${index}` }));
  const last = job({ jobId: "last", messageId: "last", userId: "u1" });
  const two = { messageIds: ["m", "last", "gone"] };
  expect(await askedFor(two, { jobs: [...users, last] })).toMatchObject({
    wishes: wishOf(two, 15_001),
    notWaiting: ["gone"],
  });
});
