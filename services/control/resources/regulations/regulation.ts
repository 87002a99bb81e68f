// What a regulation is and how it goes on; pure. Each function gives the record that makes a step durable.
import { isDeletion, type RegulationType, suppressionOf } from "#contract";
import type { WriterTerm } from "#kafka";
import { type Regulation, USER_HASH_BYTES, userHash } from "#topics";

/** A change that was acknowledged is in force everywhere by then (contract 10.1). */
export const IN_FORCE_MS = 1_000;

export interface RegulationRequest {
  readonly regulationType: RegulationType;
  readonly sourceId: string | null;
  readonly subjectIds: readonly string[];
}

export interface NewRegulation extends RegulationRequest {
  readonly id: string;
  /** The affected sources. */
  readonly sourceIds: readonly string[];
  readonly nowMs: number;
}

export function newRegulation(made: NewRegulation): Regulation {
  const { id, regulationType, sourceId, nowMs } = made;
  const subjectIds = [...new Set(made.subjectIds)];
  const isSuppressing = suppressionOf(regulationType) !== undefined;
  return {
    id,
    regulationType,
    sourceId,
    subjectIds,
    subjectCount: subjectIds.length,
    subjectHashes: Buffer.alloc(0),
    sourceIds: [...made.sourceIds],
    state: "initialized",
    isSuppressionDone: !isSuppressing,
    isStateDone: !isDeletion(regulationType),
    sourcesDone: 0,
    subjectsDone: 0,
    failedSourceIds: [],
    notified: 0,
    deletedAtMs: isDeletion(regulationType) && !isSuppressing ? nowMs : null,
    writerId: "",
    writerEpoch: 0,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** The term of the owner that wrote last; undefined before the first one. */
export function termOf({ writerEpoch, writerId }: Regulation): WriterTerm | undefined {
  return writerId === "" ? undefined : { id: writerId, epoch: writerEpoch };
}

/** An owner is about to write in this term. */
export function takenUp(regulation: Regulation, { epoch, id }: WriterTerm, nowMs: number): Regulation {
  return { ...regulation, writerId: id, writerEpoch: epoch, updatedAtMs: nowMs };
}

export function hasEnded({ state }: Pick<Regulation, "state">): boolean {
  return state === "finished" || state === "failed";
}

/** The suppressions are written. A deletion's moment is when they are in force: until then calls of the users are still accepted. */
export function suppressed(regulation: Regulation, nowMs: number): Regulation {
  const deletedAtMs = isDeletion(regulation.regulationType) ? nowMs + IN_FORCE_MS : null;
  return { ...regulation, state: "running", isSuppressionDone: true, deletedAtMs, updatedAtMs: nowMs };
}

/** What the users' profiles hold is on its way out. */
export function forgotten(regulation: Regulation, nowMs: number): Regulation {
  return { ...regulation, state: "running", isStateDone: true, updatedAtMs: nowMs };
}

/** The users to notify the next source of, at most so many; undefined when every source has ended. */
export function nextNotifications(
  { regulationType, sourceIds, sourcesDone, subjectIds, subjectsDone }: Regulation,
  limit: number,
): { readonly sourceId: string; readonly userIds: readonly string[] } | undefined {
  const sourceId = sourceIds[sourcesDone];
  if (!isDeletion(regulationType) || sourceId === undefined) return undefined;
  return { sourceId, userIds: subjectIds.slice(subjectsDone, subjectsDone + limit) };
}

/** Notifications of so many more users are written. */
export function notified(regulation: Regulation, users: number, nowMs: number): Regulation {
  const { sourcesDone, subjectCount, notified: before } = regulation;
  const subjectsDone = regulation.subjectsDone + users;
  const isSourceDone = subjectsDone >= subjectCount;
  return {
    ...regulation,
    notified: before + users,
    sourcesDone: isSourceDone ? sourcesDone + 1 : sourcesDone,
    subjectsDone: isSourceDone ? 0 : subjectsDone,
    updatedAtMs: nowMs,
  };
}

/** Nobody is to be notified of the next source any more. */
export function sourceFailed(regulation: Regulation, sourceId: string, nowMs: number): Regulation {
  return {
    ...regulation,
    sourcesDone: regulation.sourcesDone + 1,
    subjectsDone: 0,
    failedSourceIds: [...regulation.failedSourceIds, sourceId],
    updatedAtMs: nowMs,
  };
}

/** It keeps no user id; of a deletion their hashes stay, for replays. */
export function ended(regulation: Regulation, nowMs: number): Regulation {
  const { failedSourceIds, regulationType, sourceIds, subjectIds } = regulation;
  return {
    ...regulation,
    state: failedSourceIds.length === 0 ? "finished" : "failed",
    sourcesDone: sourceIds.length,
    subjectIds: [],
    subjectHashes: isDeletion(regulationType) ? hashesOf(subjectIds) : Buffer.alloc(0),
    updatedAtMs: nowMs,
  };
}

function hashesOf(userIds: readonly string[]): Buffer {
  const hashes = userIds.map((userId) => Buffer.from(userHash(userId), "base64url"));
  return Buffer.concat(hashes.sort(Buffer.compare), hashes.length * USER_HASH_BYTES);
}
