import { type BrokenRecordReason, type CallIdentity, userIn } from "#contract";
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
  /** Of a record that could be read. */
  readonly call?: (CallIdentity & { readonly body: Buffer }) | undefined;
}

const NOBODY = { userId: null, anonymousId: null };

/** Errors of the serde say by `canRetry: false` that the bytes are bad. */
export function brokenRecordReason(error: object): BrokenRecordReason {
  return "canRetry" in error && error.canRetry === false ? "undecodable" : "handler_failed";
}

/** What becomes of it: its bytes as they are, under an id that the same record always gets, and whose call it is where that is known. */
export function rawDeadLetter(
  { topic, partition, offset, value }: RejectedRecord,
  { call, error, deadAtMs, destinationId }: Rejection,
): DeadLetter {
  const { userId, anonymousId } = call === undefined ? NOBODY : userIn(call);
  const origin = `${topic}-${partition}-${offset}`;
  return {
    id: origin,
    shard: 0,
    replayId: null,
    reason: call === undefined ? brokenRecordReason(error) : "handler_failed",
    message: error.message,
    deadAtMs,
    destinationId,
    sourceId: call?.sourceId ?? null,
    messageId: call?.messageId ?? null,
    userId,
    anonymousId,
    // Without these it is no call that could be replayed: the body is not the call's.
    type: null,
    receivedAtMs: null,
    attempts: 0,
    firstAttemptAtMs: null,
    outcomes: [],
    origin,
    body: value ?? Buffer.alloc(0),
  };
}
