import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { FollowedTopic } from "#kafka";
import { until } from "#support/until";
import { topicMap } from "#topics";
import { type FollowOptions, followTopics } from "./follow.ts";
import type { IndexPart } from "./index-part.ts";
import { INDEXED } from "./indexed.ts";
import { Progress } from "./progress.ts";

const RECORD = { topic: "t", partition: 0, offset: 0, key: null, value: Buffer.of(0), timestampMs: 0 };

/** Topics of one partition, of which the test says what comes; attempts are the first of each reading. */
function follow(index: object, more: Partial<FollowOptions> = {}) {
  const topics = topicMap({ prefix: "", retryDelaysMs: [1_000] });
  const { deliveryAttempts, deliveryTotals, deadLetters, routedCalls, refusedCalls } = topics;
  const { hourlyStats, dailyStats, auditLog } = topics;
  const ending = new AbortController();
  const followed: FollowedTopic[] = [];
  const progress = new Progress(systemHost);
  let closed = 0;
  const close = (): void => {
    closed += 1;
  };
  const following = followTopics({
    index: index as IndexPart,
    progress,
    kafka: {
      follow(topic: FollowedTopic) {
        followed.push(topic);
        topic.takes?.(0);
        topic.from?.(0);
        return { failed: Promise.withResolvers<never>().promise, close };
      },
    },
    serde: { decode: () => ({}) as never },
    topics: {
      ...{ attempts: deliveryAttempts, totals: deliveryTotals, deadLetters, routedCalls, refusedCalls },
      ...{ hourlyStats, dailyStats, auditLog },
    },
    kinds: INDEXED,
    takes: () => true,
    onAttempt: () => undefined,
    logger: { warn: () => undefined } as never,
    host: systemHost,
    signal: ending.signal,
    ...more,
  });
  return { closed: () => closed, ending, followed, following, progress };
}

test("the reading ends also while a record's schema does not come", async () => {
  const asked = Promise.withResolvers<void>();
  const { ending, followed, following } = follow(
    { position: () => 0, epoch: 0 },
    {
      serde: {
        decode() {
          asked.resolve();
          return Promise.withResolvers<never>().promise;
        },
      },
    },
  );
  void followed[0]?.onRecords(0, [RECORD], 1);
  await asked.promise;
  ending.abort();
  await following;
  expect(ending.signal.aborted).toBe(true);
});

test("an index that cannot be thrown away is tried again later, and nothing is read into it meanwhile", async () => {
  const pauses: number[] = [];
  const applied: unknown[] = [];
  const index = {
    position: () => 7,
    epoch: 0,
    apply: (stretch: unknown) => void applied.push(stretch),
    discard() {
      throw new Error("the disk is full");
    },
  };
  const host = {
    ...systemHost,
    async delay(ms: number) {
      pauses.push(ms);
      one.ending.abort();
    },
  };
  const one = follow(index, { host });
  const [attempts] = one.followed;
  attempts?.onCut?.({ partition: 0, fromOffset: 7, endOffset: 3 });
  await attempts?.onRecords(0, [RECORD], 1);
  await one.following;
  expect([pauses, applied, one.closed(), one.followed.length]).toEqual([
    [5_000],
    [],
    INDEXED.length,
    INDEXED.length,
  ]);
});

test("an index that was thrown away by whoever asked it is read again from its beginning", async () => {
  const index = { position: () => 7, epoch: 0 };
  const { ending, followed, following, progress } = follow(index);
  const [attempts] = followed;
  attempts?.onReadUntil?.(0, 7, 1_000);
  expect(progress.indexedUntilMs("attempts")).toBe(1_000);
  index.epoch = 1;
  attempts?.onReadUntil?.(0, 7, 2_000);
  await until(() => followed.length === 2 * INDEXED.length, {
    timeoutMs: 30_000,
    what: "everything to be followed again",
  });
  expect(progress.indexedUntilMs("attempts")).toBe(1_000);
  ending.abort();
  await following;
});
