// What a destination that is connected to the source of audiences is to be given; pure.
import { SPACE_SOURCE } from "#contract";
import type { AudienceConfig, ConnectionSync, DestinationConfig, ProfileResult } from "#topics";

const IDENTIFY = "identify";

/** Whether calls of audiences go to it (contract 4.3, 4.4). */
export function takesAudiences(
  destination: Pick<DestinationConfig, "callTypes" | "enabled" | "sourceIds"> | undefined,
): boolean {
  if (destination?.enabled !== true || !destination.sourceIds.includes(SPACE_SOURCE)) return false;
  return destination.callTypes === null || destination.callTypes.includes(IDENTIFY);
}

/** Behind `leftAtMs`, also by the clock of another process. */
export function begun(id: string, nowMs: number, leftAtMs = 0): ConnectionSync {
  const given = { sent: 0, heldBackIds: [], onlyIds: null, jobEnds: [] };
  const createdAtMs = Math.max(nowMs, leftAtMs + 1);
  return { id, isConnected: true, ...START, ...given, createdAtMs, updatedAtMs: createdAtMs };
}

/** It took no audiences since it was connected, for however short a time: what changed then it was not told. */
export function hasLeft({ createdAtMs }: ConnectionSync, leftAtMs: number | undefined): boolean {
  return leftAtMs !== undefined && leftAtMs >= createdAtMs;
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

/** Nothing is sent of who is no member, nor of what is deleted; of what is paused once it is resumed. */
export function fateOf({ text }: ProfileResult, config: AudienceConfig | undefined): Fate {
  if (config === undefined || config.deletedAtMs !== null || EMPTY.has(text)) return "left_out";
  return isHeldBack(config) ? "held_back" : "given";
}
