// Records of the indexed topics, for tests.
import type { DeadLetter, DeliveryAttempt, DeliveryTotal } from "#topics";

export const WEBHOOK = "https://a.test/services/XXXX";
export const START_MS = Date.UTC(2026, 0, 1);

export function attempt(changes: Partial<DeliveryAttempt> = {}): DeliveryAttempt {
  return {
    writer: "w",
    sequence: 1,
    destinationId: "d1",
    jobId: "j1",
    messageId: "m1",
    sourceId: "s1",
    type: "track",
    url: WEBHOOK,
    attempt: 1,
    outcome: "http_5xx",
    retryable: true,
    status: 500,
    message: "HTTP 500",
    startedAtMs: START_MS,
    durationMs: 12,
    replayId: null,
    suppressed: 0,
    ...changes,
  };
}

export function total(changes: Partial<DeliveryTotal> = {}): DeliveryTotal {
  return {
    writer: "w",
    sequence: 1,
    destinationId: "d1",
    minuteMs: START_MS,
    outcomes: { success: 1 },
    durationCounts: [1],
    ...changes,
  };
}

export function deadLetter(changes: Partial<DeadLetter> = {}): DeadLetter {
  return {
    id: "j1",
    reason: "permanent",
    message: "no webhook can be retried",
    deadAtMs: START_MS,
    destinationId: "d1",
    shard: 2,
    sourceId: "s1",
    messageId: "m1",
    type: "track",
    receivedAtMs: START_MS - 1_000,
    attempts: 1,
    firstAttemptAtMs: START_MS - 500,
    replayId: null,
    outcomes: [
      {
        url: WEBHOOK,
        kind: "permanent",
        reason: "http_4xx",
        status: 410,
        message: "HTTP 410",
        atMs: START_MS,
        durationMs: 5,
      },
    ],
    origin: "delivery-jobs-0-7",
    body: Buffer.from('{"type":"track"}'),
    ...changes,
  };
}
