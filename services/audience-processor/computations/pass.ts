// One pass over the profiles of a partition: what it is, whether one is due, and what it may change of a profile.
import type { Computation, Profile } from "#audiences";
import type { AudienceConfig, AudienceProgress } from "#topics";

/** Whether nothing is to be looked for in the partition of what is configured. */
export function isDone(config: AudienceConfig, progress: AudienceProgress | undefined): boolean {
  // Of unknown progress too: that is written later than what is sent.
  if (config.deletedAtMs !== null) return progress?.state === "deleted";
  if (progress === undefined || progress.generation !== config.generation) return false;
  // A resume sends the net difference.
  return progress.state === "live" && (config.isPaused || !progress.isPaused);
}

/** One pass over the profiles of the partition. */
export interface Pass {
  readonly config: AudienceConfig;
  progress: AudienceProgress;
  /** Of the worker: what was looked at in an earlier term and is not reported is forgotten. */
  readonly term: number;
  /** Last key looked at. */
  after: string | undefined;
  /** What was folded before the pass began is on disk: it finds every profile that there was. */
  isReady: boolean;
  isAtEnd: boolean;
}

/** What a pass may change of a profile, in short. */
export function stateOf(
  { backfilled, leaves, lists, results }: Profile,
  affected: readonly Computation[],
): string {
  const deadlines = affected.map(({ id }) => results.get(id)?.deadlineMs);
  return [leaves.size, backfilled.size, lists.size, results.size, ...deadlines].join();
}
