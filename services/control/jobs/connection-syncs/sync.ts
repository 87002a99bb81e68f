// What a destination that is connected to the source of audiences is to be given; pure.
import { SPACE_SOURCE } from "#contract";
import type { AudienceConfig, ConnectionSync, DestinationConfig, ProfileResult } from "#topics";
import { doubtsAfter } from "./doubts.ts";

const IDENTIFY = "identify";

/** Whether calls of audiences go to it (contract 4.3, 4.4). */
export function takesAudiences(
  destination: Pick<DestinationConfig, "callTypes" | "enabled" | "sourceIds"> | undefined,
): boolean {
  if (destination?.enabled !== true || !destination.sourceIds.includes(SPACE_SOURCE)) return false;
  return destination.callTypes === null || destination.callTypes.includes(IDENTIFY);
}

/** A version of a destination's configuration by which it takes no audiences. */
export interface Left {
  readonly version: number;
  /** By the clock of the process that made it. */
  readonly atMs: number;
}

/**
 * undefined when it takes no audiences, as far as is known: a configuration that is older than a version by which it does not is read again, with
 * that one.
 */
export function taking(config: DestinationConfig | undefined, left: Left | undefined) {
  if (config === undefined || !takesAudiences(config)) return undefined;
  return left !== undefined && left.version > config.version ? undefined : config;
}

/** `before` is the sync of an earlier connection: jobs are named by the time of theirs, so this one's is later. */
export function begun(
  { id, version }: Pick<DestinationConfig, "id" | "version">,
  nowMs: number,
  before: ConnectionSync | undefined,
): ConnectionSync {
  const given = { sent: 0, heldBackIds: [], onlyIds: null, jobEnds: [] };
  const createdAtMs = Math.max(nowMs, (before?.createdAtMs ?? 0) + 1);
  const updatedAtMs = Math.max(createdAtMs, (before?.updatedAtMs ?? 0) + 1);
  const doubts = before === undefined ? [] : doubtsAfter(before);
  return {
    id,
    isConnected: true,
    ...START,
    ...given,
    doubts,
    connectedVersion: version,
    createdAtMs,
    updatedAtMs,
  };
}

/**
 * It took no audiences since it was connected, for however short a time: what changed then it was not told. Clocks of several processes say
 * nothing of it; only a sync that a version before began has no more than its time.
 */
export function hasLeft(
  { connectedVersion, createdAtMs }: ConnectionSync,
  { version }: Pick<DestinationConfig, "version">,
  left: Left | undefined,
): boolean {
  if (connectedVersion === null) return left !== undefined && left.atMs >= createdAtMs;
  // What was restored has an earlier version.
  return version < connectedVersion || (left !== undefined && left.version > connectedVersion);
}

/** Before the first profile. */
const START = { isDone: false, partition: 0, cursor: null, unsure: [] };

/** It is to be given what these have for it, which was held back; what else was stays so. */
export function resumed(before: ConnectionSync, ids: readonly string[], nowMs: number): ConnectionSync {
  const heldBackIds = before.heldBackIds.filter((id) => !ids.includes(id));
  return changed(before, { ...START, heldBackIds, onlyIds: [...ids] }, nowMs);
}

export function changed(
  before: ConnectionSync,
  changes: Partial<ConnectionSync>,
  nowMs: number,
): ConnectionSync {
  return { ...before, ...changes, updatedAtMs: Math.max(nowMs, before.updatedAtMs + 1) };
}

/** Something that is deleted while it is paused is never resumed. */
export function isHeldBack(config: Pick<AudienceConfig, "deletedAtMs" | "isPaused"> | undefined): boolean {
  return config?.isPaused === true && config.deletedAtMs === null;
}

/** Of JSON texts: what is not sent as the first value. */
const EMPTY: ReadonlySet<string> = new Set(["", "false", "null", "0", "[]"]);

/** What becomes of a value for a receiver that knows nothing. */
export type Fate = "given" | "held_back" | "left_out";

/**
 * Nothing is sent of who is no member, unless the receiver may believe that he is, nor of what is deleted; of what is paused once it is resumed.
 */
export function fateOf(
  { text }: ProfileResult,
  config: AudienceConfig | undefined,
  { isDoubted = false } = {},
): Fate {
  if (config === undefined || config.deletedAtMs !== null) return "left_out";
  if (isDoubted ? text === "" : EMPTY.has(text)) return "left_out";
  return isHeldBack(config) ? "held_back" : "given";
}
