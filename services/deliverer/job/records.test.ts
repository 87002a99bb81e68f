import { expect, test } from "@jest/globals";
import { type DeadLetter, topicMap } from "#topics";
import { job } from "../fixtures/jobs.ts";
import { createRecords } from "./records.ts";

const NOW_MS = 5_000;

function setup() {
  const encoded: unknown[] = [];
  const topics = topicMap({ prefix: "", retryDelaysMs: [10_000, 60_000] });
  const serde = {
    encode(_topic: unknown, value: unknown) {
      encoded.push(value);
      return Buffer.from([1]);
    },
  };
  return { encoded, records: createRecords({ topics, serde, nowMs: () => NOW_MS }) };
}

const raw = { topic: "delivery-jobs", partition: 2, offset: 7, value: Buffer.from("junk"), timestampMs: 0 };

test.each([
  ["d1:3", "d1"],
  ["tenant:d1:3", "tenant:d1"],
  ["d1", null],
  [":3", null],
  ["", null],
  [null, null],
])("of a record that cannot be read the key %j tells the destination %j", (key, destinationId) => {
  const { encoded, records } = setup();
  const record = records.raw({ ...raw, key }, new Error("garbage"));
  expect([record.topic, record.key]).toEqual(["dead-letters", destinationId]);
  const { message, body, origin, deadAtMs } = encoded[0] as DeadLetter;
  expect({ message, body, origin, deadAtMs }).toEqual({
    message: "garbage",
    body: raw.value,
    origin: "delivery-jobs-2-7",
    deadAtMs: NOW_MS,
  });
});

test("of a job whose handling failed the dead letter names the call", () => {
  const { encoded, records } = setup();
  const decoded = job();
  const { messageId, sourceId } = decoded;
  records.raw({ ...raw, key: "d1:3", decoded } as never, new Error("a bug"));
  const named = { destinationId: "d1", messageId, sourceId, userId: "u1", anonymousId: null };
  expect(encoded).toMatchObject([{ ...named, reason: "handler_failed", message: "a bug", body: raw.value }]);
});

test("a job waits in the topic of its delay, under the key of its destination and shard", () => {
  const { encoded, records } = setup();
  const waiting = job({ shard: 3 });
  const { topic, key } = records.waiting({ tier: 1, job: waiting });
  expect([topic, key, encoded]).toEqual(["delivery-retry-1m", "d1:3", [waiting]]);
  expect(() => records.waiting({ tier: 2, job: waiting })).toThrow("no retry topic 2");
});

test("a dead letter has what the job was, where it stood, and why it died", () => {
  const { encoded, records } = setup();
  const dead = job({ attempts: 2, firstAttemptAtMs: 1, replayId: "rpl_1" });
  const origin = { topic: "delivery-retry-10s", partition: 1, offset: 9 };
  const record = records.dead({ kind: "dead", reason: "permanent", message: "gone", job: dead }, origin);
  expect([record.topic, record.key]).toEqual(["dead-letters", "d1"]);
  const { jobId: id, shard, replayId, sourceId, messageId, type, receivedAtMs, outcomes, body } = dead;
  expect(encoded).toEqual([
    {
      id,
      reason: "permanent",
      message: "gone",
      deadAtMs: NOW_MS,
      destinationId: "d1",
      shard,
      replayId,
      sourceId,
      messageId,
      userId: "u1",
      anonymousId: null,
      type,
      receivedAtMs,
      attempts: 2,
      firstAttemptAtMs: 1,
      outcomes,
      origin: "delivery-retry-10s-1-9",
      body,
    },
  ]);
});
