// How long the preparation of an audience goes on that is under way; pure.

/** That one process evaluates beside live calls; a million took 9 to 42 s, as few or all of them are members. */
export const PROFILES_A_SECOND = 20_000;
/** Sooner the pace that is seen is chance. */
const SEEN_AFTER_MS = 10_000;

/** Summed over the partitions that have begun. */
export interface Begun {
  readonly partitions: number;
  readonly partitionsBegun: number;
  readonly profilesDone: number;
  readonly profilesTotal: number;
  readonly eventsDone: number;
  readonly eventsTotal: number;
}

/** By the pace at which events were read so far, or else by that which is set. Null while no partition has begun. */
export function remainingSeconds(
  begun: Begun,
  { elapsedMs, eventsPerSecond }: { readonly elapsedMs: number; readonly eventsPerSecond: number },
): number | null {
  const { eventsDone, eventsTotal, partitions, partitionsBegun, profilesDone, profilesTotal } = begun;
  if (partitionsBegun === 0) return null;
  // Partitions that have not begun have about as much to do as the others.
  const share = partitions / partitionsBegun;
  const seen = (eventsDone * 1_000) / Math.max(1, elapsedMs);
  const isSeen = eventsDone > 0 && elapsedMs >= SEEN_AFTER_MS;
  // Read by several processes, each at its own pace; no more of them than partitions.
  const perSecond = isSeen ? Math.min(seen, eventsPerSecond * partitions) : eventsPerSecond;
  const events = Math.max(0, eventsTotal * share - eventsDone);
  const profiles = Math.max(0, profilesTotal * share - profilesDone);
  return Math.ceil(events / perSecond + profiles / PROFILES_A_SECOND);
}
