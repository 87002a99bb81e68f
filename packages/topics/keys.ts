import { hash } from "node:crypto";
import { type CallIdentity, type CallUser, identityOf } from "#contract";
import type { Call, DestinationConfig } from "./records.generated.ts";

/** How many shards, so at most how many partitions, one destination uses (design: shuffle shards). */
export const DEFAULT_SHARD_WIDTH = 4;

/**
 * Key of a call: one user's calls of one source share a partition, so they keep their order and a resent call
 * meets its first copy (contract 1.8).
 */
export function callKey(sourceId: string, call: CallOwner): string {
  return `${sourceId}:${orderedBy(call)}`;
}

/** A call of no user is of an account. */
type CallOwner = CallUser & Partial<Pick<Call, "groupId">>;

/** Whose calls keep their order: a user, or else the account that the call is about. */
export function orderedBy({ anonymousId, groupId, userId }: CallOwner): string {
  return userId ?? anonymousId ?? groupId ?? "";
}

/** The shard of a destination that one user's calls take: always the same one, so their first attempts keep their order. */
export function shardOf(userKey: string, width: number = DEFAULT_SHARD_WIDTH): number {
  return Number.parseInt(hash("md5", userKey, "hex").slice(0, 8), 16) % width;
}

/**
 * How many shards a destination's calls are dealt to. With a limit it is one: all its calls then meet in one process, which can
 * keep the limit exactly. Another width spreads users over other shards: while older calls of a user are under way, newer ones may overtake them.
 */
export function shardWidthOf(
  destination: Pick<DestinationConfig, "maxRequestsPerSecond" | "maxInFlight" | "shardWidth">,
): number {
  const isLimited = destination.maxRequestsPerSecond !== null || destination.maxInFlight !== null;
  return isLimited ? 1 : (destination.shardWidth ?? DEFAULT_SHARD_WIDTH);
}

/** Key of a delivery job, in delivery-jobs and in every retry topic alike, so partition p of all of them belongs together. */
export function deliveryKey(job: { destinationId: string; shard: number }): string {
  return `${job.destinationId}:${job.shard}`;
}

/** Key of what became of a call: all that is said of it, and of its copies, comes in order. */
export function routedCallKey(call: CallIdentity): string {
  return identityOf(call);
}

/** Key of the last call with a write key: a source id has no colon. */
export function formerKeyUseKey(of: { sourceId: string; writeKey: string }): string {
  return `${of.sourceId}:${of.writeKey}`;
}

/** Key of the statistics of a source's calls at a destination; either may be empty. */
export function statsKey(of: { sourceId: string; destinationId: string }): string {
  return `${of.sourceId}:${of.destinationId}`;
}

/** Key of what one partition of profiles says of an audience or computed trait. */
export function audienceProgressKey(progress: { id: string; partition: number }): string {
  return `${progress.id}:${progress.partition}`;
}

/** Key of how many were in an audience or list on one day. */
export function audienceSizeKey(size: { id: string; partition: number; day: number }): string {
  return `${size.id}:${size.partition}:${size.day}`;
}

/** Key of what is said of an endpoint, in order: its URL may be a secret, and keys are logged. */
export function endpointKey(url: string): string {
  return hash("sha256", url, "base64url");
}

/** In place of a source: the user is meant in all of them. */
const EVERY_SOURCE = "*";

/** 128 bits: of a thousand million user ids no two are likely to meet. */
export const USER_HASH_BYTES = 16;

/** Of these bytes in base64url. */
const USER_HASH_CHARACTERS = 22;

/** Stands for a user id where that shall not be read: the beginning of its SHA-256, in base64url. */
export function userHash(userId: string): string {
  return hash("sha256", userId, "base64url").slice(0, USER_HASH_CHARACTERS);
}

/** Key of a suppression, of one source or (null) of all. */
export function suppressionKey(sourceId: string | null, hashOfUser: string): string {
  return `${sourceId ?? EVERY_SOURCE}:${hashOfUser}`;
}

/** The source of a suppression's key; null for all of them. */
export function suppressionScope(key: string): string | null {
  const sourceId = key.slice(0, key.indexOf(":"));
  return sourceId === EVERY_SOURCE ? null : sourceId;
}
