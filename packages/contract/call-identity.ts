// The identity of a call, by which a copy is recognised: its source, its messageId and its user (contract
// 1.8). Everything that keeps calls apart takes its keys from here.
import { hash } from "node:crypto";
import { SPACE_SOURCE } from "./built-in-source.ts";

/** The user of a call: the userId, else the anonymousId. Spelt alike they are two users. */
export interface CallUser {
  readonly userId: string | null;
  readonly anonymousId: string | null;
}

export interface CallIdentity extends CallUser {
  readonly sourceId: string;
  readonly messageId: string;
}

/** No two users have the same text; "" where neither id is known. */
export function userKey({ userId, anonymousId }: CallUser): string {
  if (userId !== null) return `u${userId}`;
  return anonymousId === null ? "" : `a${anonymousId}`;
}

/** No two calls have the same text: a source id has no colon, and the length says where the messageId ends. */
export function identityOf(call: CallIdentity): string {
  const { messageId, sourceId } = call;
  return `${sourceId}:${messageId.length}:${messageId}${userKey(call)}`;
}

/**
 * The user of a record that may be older than its fields for it: then its delivered body says who it was. Both are null where the body
 * names nobody, or is none.
 */
export function userIn({ anonymousId, body, userId }: CallUser & { readonly body: Buffer }): CallUser {
  if (userId !== null || anonymousId !== null) return { userId, anonymousId };
  try {
    const call: unknown = JSON.parse(body.toString());
    return { userId: idIn(call, "userId"), anonymousId: idIn(call, "anonymousId") };
  } catch {
    return { userId: null, anonymousId: null };
  }
}

function idIn(call: unknown, field: keyof CallUser): string | null {
  const id = typeof call === "object" && call !== null ? (call as Record<string, unknown>)[field] : undefined;
  return typeof id === "string" ? id : null;
}

/**
 * Names the job of one call for one destination: a job that is emitted again after a crash is recognised by it. `syncedAtMs` is when the sync
 * began that gives the destination the call once more, after others had got it or itself in an earlier sync: that is another job.
 */
export function deliveryJobId(call: CallIdentity, destinationId: string, syncedAtMs?: number): string {
  const text = `${destinationId}:${identityOf(call)}`;
  return idOf(syncedAtMs === undefined ? text : `sync ${syncedAtMs}:${text}`);
}

/** Whether control has given the destination the call, which others had before its connection, by a sync: no router has sent it there. */
export function isGivenBySync(jobId: string, call: CallIdentity, destinationId: string): boolean {
  return call.sourceId === SPACE_SOURCE && jobId !== deliveryJobId(call, destinationId);
}

/** Tells jobs apart. One that is older than its fields for the user has an id that several users' jobs may share. */
export function jobKey(job: CallUser & { readonly jobId: string; readonly body: Buffer }): string {
  const isNamedByUser = job.userId !== null || job.anonymousId !== null;
  return isNamedByUser ? job.jobId : `${job.jobId}:${userKey(userIn(job))}`;
}

/** Names the job that a replay makes out of a dead letter: not taken for the job that died, and the same when a crash repeats it. */
export function replayJobId(jobId: string, replayId: string): string {
  return idOf(JSON.stringify([jobId, replayId]));
}

function idOf(text: string): string {
  return hash("sha256", text, "hex").slice(0, 32);
}
