// That an audience was paused is known before anything follows from it.
import type { AudienceProgress } from "#topics";
import type { PartitionWorker } from "../profiles/partition-worker.ts";
import type { PartitionComputations } from "./partition-computations.ts";

interface PausesParts {
  readonly computations: Pick<PartitionComputations, "configs">;
  readonly worker: Pick<PartitionWorker, "isOurs" | "writeAfter">;
  nowMs(): number;
  progressOf(id: string): AudienceProgress | undefined;
  reportDurably(progress: readonly AudienceProgress[]): Promise<void>;
}

/**
 * From now on there may be differences that are not sent: a resume looks for them. Profiles that are folded so are written once that is
 * noted: an owner who finds the audience resumed, and nothing noted, looks for nothing. False while the partition may be another's: it can be
 * this one's still, and the pause is to be noted then.
 */
export function notePauses({ computations, nowMs, progressOf, reportDurably, worker }: PausesParts): boolean {
  if (!worker.isOurs) return false;
  const paused: AudienceProgress[] = [];
  for (const { deletedAtMs, id, isPaused } of computations.configs) {
    const known = isPaused && deletedAtMs === null ? progressOf(id) : undefined;
    if (known?.isPaused === false) paused.push({ ...known, isPaused: true, updatedAtMs: nowMs() });
  }
  if (paused.length > 0) worker.writeAfter(reportDurably(paused));
  return true;
}
