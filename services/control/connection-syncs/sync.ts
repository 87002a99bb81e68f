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

export function begun(id: string, nowMs: number): ConnectionSync {
  const place = { isDone: false, partition: 0, cursor: null, sent: 0 };
  return { id, isConnected: true, ...place, createdAtMs: nowMs, updatedAtMs: nowMs };
}

export function changed(
  before: ConnectionSync,
  changes: Partial<ConnectionSync>,
  nowMs: number,
): ConnectionSync {
  return { ...before, ...changes, updatedAtMs: Math.max(nowMs, before.updatedAtMs + 1) };
}

/** Of JSON texts: what is not sent as the first value. */
const EMPTY: ReadonlySet<string> = new Set(["", "false", "null", "0", "[]"]);

/** Whether a receiver that knows nothing gets it: nothing is sent of who is no member, nor of what is paused or deleted. */
export function isCurrent({ text }: ProfileResult, config: AudienceConfig | undefined): boolean {
  return config !== undefined && config.deletedAtMs === null && !config.isPaused && !EMPTY.has(text);
}
