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

/** What one pass looks for of one computation, and how far that is durable. */
export interface Part {
  readonly config: AudienceConfig;
  progress: AudienceProgress;
}

/** One pass over the profiles of the partition, for all that wait for one and are as far. */
export interface Pass {
  readonly parts: readonly Part[];
  /** Of what is configured: as long as it is the same, so are the parts. */
  version: number;
  /** Of the worker: what was looked at in an earlier term and is not reported is forgotten. */
  readonly term: number;
  /** Last key looked at. */
  after: string | undefined;
  /** What was folded before the pass began is on disk: it finds every profile that there was. */
  isReady: boolean;
  isAtEnd: boolean;
  /** Ids of those that ask for calls of which some profile knows nothing. */
  readonly partial: Set<string>;
}

/** Whether each part is still configured as it was. */
export function isSame({ parts }: Pass, configs: Iterable<AudienceConfig>): boolean {
  const updated = new Map(Array.from(configs, ({ id, updatedAtMs }) => [id, updatedAtMs]));
  return parts.every(({ config: { id, updatedAtMs } }) => updated.get(id) === updatedAtMs);
}

/** A turn evaluates so many for each of its profiles at most. */
const MAX_PARTS = 200;

/** Those that one pass can look for: the one that has waited longest, and all that have come as far as that one. */
export function choose(
  waiting: readonly AudienceConfig[],
  cursorOf: (config: AudienceConfig) => string | null,
): AudienceConfig[] {
  const byAge = waiting.toSorted((a, b) => a.updatedAtMs - b.updatedAtMs);
  const [first] = byAge;
  const cursor = first === undefined ? null : cursorOf(first);
  return byAge.filter((config) => cursorOf(config) === cursor).slice(0, MAX_PARTS);
}

/** What a pass may change of a profile, in short. */
export function stateOf(
  { backfilled, leaves, lists, results }: Profile,
  affected: readonly Computation[],
): string {
  const deadlines = affected.map(({ id }) => results.get(id)?.deadlineMs);
  return [leaves.size, backfilled.size, lists.size, results.size, ...deadlines].join();
}
