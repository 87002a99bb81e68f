import type { BrokenRecordReason } from "#contract";
import type { DeadLetter } from "./records.generated.ts";

/** A record that could not be read, or whose handling failed, with its place in Kafka. */
export interface RejectedRecord {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  readonly value: Buffer | null;
}

export interface Rejection {
  readonly error: { readonly message: string };
  readonly deadAtMs: number;
  /** Where the key still tells it. */
  readonly destinationId: string | null;
}

/** Errors of the serde say by `canRetry: false` that the bytes are bad. */
export function brokenRecordReason(error: object): BrokenRecordReason {
  return "canRetry" in error && error.canRetry === false ? "undecodable" : "handler_failed";
}

/** What becomes of it: its bytes as they are, under an id that the same record always gets. */
export function rawDeadLetter(
  { topic, partition, offset, value }: RejectedRecord,
  { error, deadAtMs, destinationId }: Rejection,
): DeadLetter {
  const origin = `${topic}-${partition}-${offset}`;
  return {
    id: origin,
    shard: 0,
    replayId: null,
    reason: brokenRecordReason(error),
    message: error.message,
    deadAtMs,
    destinationId,
    sourceId: null,
    messageId: null,
    userId: null,
    anonymousId: null,
    type: null,
    receivedAtMs: null,
    attempts: 0,
    firstAttemptAtMs: null,
    outcomes: [],
    origin,
    body: value ?? Buffer.alloc(0),
  };
}
