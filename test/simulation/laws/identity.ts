import type { TopicPartition } from "#kafka";

/** What is of a call: several users' calls may have one messageId (contract 1.8). Who calls in these worlds has a userId. */
export interface OfCall {
  readonly messageId: string | null;
  readonly userId: string | null;
}

/** For people too. */
export function callKey({ messageId, userId }: OfCall): string {
  return `${messageId} of ${userId}`;
}

/** By call and destination, or by call and webhook. */
export function keyAt(call: OfCall, at: string | null | undefined): string {
  return `${callKey(call)} to ${at}`;
}

export function logName({ topic, partition }: TopicPartition): string {
  return `${topic}-${partition}`;
}
