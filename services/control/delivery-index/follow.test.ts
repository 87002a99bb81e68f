import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { FollowedTopic } from "#kafka";
import { topicMap } from "#topics";
import type { DeliveryIndex } from "./delivery-index.ts";
import { followTopics } from "./follow.ts";
import { Progress } from "./progress.ts";

test("the reading ends also while a record's schema does not come", async () => {
  const topics = topicMap({ prefix: "", retryDelaysMs: [1_000] });
  const { deliveryAttempts, deliveryTotals, deadLetters, routedCalls } = topics;
  const ending = new AbortController();
  const asked = Promise.withResolvers<void>();
  const following = followTopics({
    index: { position: () => 0, epoch: 0 } as unknown as DeliveryIndex,
    progress: new Progress(systemHost),
    kafka: {
      follow({ topic, from, onRecords }: FollowedTopic) {
        from?.(0);
        const record = { topic, partition: 0, offset: 0, key: null, value: Buffer.of(0), timestampMs: 0 };
        void onRecords(0, [record], 1);
        return { failed: Promise.withResolvers<never>().promise, close: () => undefined };
      },
    },
    serde: {
      decode() {
        asked.resolve();
        return Promise.withResolvers<never>().promise;
      },
    },
    topics: { attempts: deliveryAttempts, totals: deliveryTotals, deadLetters, routedCalls },
    onAttempt: () => undefined,
    logger: {} as never,
    host: systemHost,
    signal: ending.signal,
  });
  await asked.promise;
  ending.abort();
  await following;
  expect(ending.signal.aborted).toBe(true);
});

test("an index that cannot be thrown away is tried again later, and nothing is read into it meanwhile", async () => {
  const topics = topicMap({ prefix: "", retryDelaysMs: [1_000] });
  const { deliveryAttempts, deliveryTotals, deadLetters, routedCalls } = topics;
  const ending = new AbortController();
  const followed: FollowedTopic[] = [];
  const pauses: number[] = [];
  const applied: unknown[] = [];
  let closed = 0;
  const count = (): void => {
    closed += 1;
  };
  const following = followTopics({
    index: {
      position: () => 7,
      epoch: 0,
      apply: (stretch: unknown) => void applied.push(stretch),
      discard() {
        throw new Error("the disk is full");
      },
    } as unknown as DeliveryIndex,
    progress: new Progress(systemHost),
    kafka: {
      follow(topic: FollowedTopic) {
        followed.push(topic);
        return { failed: Promise.withResolvers<never>().promise, close: count };
      },
    },
    serde: { decode: () => ({}) as never },
    topics: { attempts: deliveryAttempts, totals: deliveryTotals, deadLetters, routedCalls },
    onAttempt: () => undefined,
    logger: { warn: () => undefined } as never,
    host: {
      ...systemHost,
      async delay(ms: number) {
        pauses.push(ms);
        ending.abort();
      },
    },
    signal: ending.signal,
  });
  const [first] = followed;
  first?.onCut?.({ partition: 0, fromOffset: 7, endOffset: 3 });
  const record = { topic: "t", partition: 0, offset: 0, key: null, value: Buffer.of(0), timestampMs: 0 };
  await first?.onRecords(0, [record], 1);
  await following;
  expect([pauses, applied, closed, followed.length]).toEqual([[5_000], [], 4, 4]);
});
