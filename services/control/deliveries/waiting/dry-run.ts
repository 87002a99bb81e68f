// How many calls a request about waiting calls would touch.
import { EVERY_CALL, type RetryChoice } from "#topics";
import { type DryRun, dryRun } from "../../http/dry-run.ts";
import { existingDestination } from "../../resources/destinations/existing.ts";
import { choiceOf, look, type RetryAsked, resumable, retriable } from "./commands.ts";
import type { WaitingParts } from "./parts.ts";

/** Each rejects as the change itself does. */
export function countPaused(parts: WaitingParts, id: string): Promise<DryRun> {
  existingDestination(parts, id);
  return count(parts, id, EVERY_CALL);
}

export function countResumed(parts: WaitingParts, id: string): Promise<DryRun> {
  resumable(existingDestination(parts, id));
  return count(parts, id, EVERY_CALL);
}

export function countRetried(parts: WaitingParts, id: string, asked: RetryAsked): Promise<DryRun> {
  const choice = choiceOf(asked);
  retriable(parts, id);
  return count(parts, id, choice);
}

async function count(parts: WaitingParts, id: string, choice: RetryChoice): Promise<DryRun> {
  const { atLeast, found } = await look(parts, id, choice);
  return dryRun(atLeast, { isComplete: found !== undefined });
}
