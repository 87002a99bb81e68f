// How far an audience or computed trait is, from what each partition of profiles says; pure.
import type { AudienceConfig, AudienceProgress } from "#topics";
import { remainingSeconds } from "./remaining.ts";

export const AUDIENCE_STATUSES = ["preparing", "live", "paused"] as const;

export interface AudienceStatus {
  readonly status: (typeof AUDIENCE_STATUSES)[number];
  /** Of one that is not live yet. */
  readonly progress: {
    readonly partitionsDone: number;
    readonly partitions: number;
    readonly profilesDone: number;
    readonly profilesTotal: number;
    readonly eventsDone: number;
    readonly eventsTotal: number;
    /** About; null while nobody can tell. */
    readonly remainingSeconds: number | null;
  } | null;
  readonly coverageFromMs: number | null;
  readonly isPartial: boolean;
  readonly members: number;
  /** Profiles that had no room for something it asks for. */
  readonly incompleteProfiles: number;
}

type Wanted = Pick<AudienceConfig, "generation" | "isPaused" | "updatedAtMs">;

/** By what it is said how long the rest takes. */
export interface Pace {
  readonly nowMs: number;
  readonly eventsPerSecond: number;
}

/** Live once every partition is live with this generation; one that was resumed is so when every partition has seen it. */
export function audienceStatus(
  { generation, isPaused, updatedAtMs }: Wanted,
  partitions: readonly (AudienceProgress | undefined)[],
  { eventsPerSecond, nowMs }: Pace,
): AudienceStatus {
  const known = partitions.filter((one) => one !== undefined);
  const current = known.filter((one) => one.generation === generation);
  const done = current.filter((one) => one.state === "live" && (isPaused || !one.isPaused));
  const isLive = done.length === partitions.length;
  const starts = current.flatMap(({ coverageFromMs }) => coverageFromMs ?? []);
  const sum = (count: (one: AudienceProgress) => number) =>
    current.reduce((total, one) => total + count(one), 0);
  const unpaused = isLive ? "live" : "preparing";
  const progress = {
    partitionsDone: done.length,
    partitions: partitions.length,
    profilesDone: sum(({ profilesDone }) => profilesDone),
    profilesTotal: sum(({ profilesTotal }) => profilesTotal),
    eventsDone: sum(({ eventsDone }) => eventsDone),
    eventsTotal: sum(({ eventsTotal }) => eventsTotal),
  };
  const begun = { ...progress, partitionsBegun: current.length };
  const pace = { elapsedMs: nowMs - updatedAtMs, eventsPerSecond };
  return {
    status: isPaused ? "paused" : unpaused,
    progress: isLive ? null : { ...progress, remainingSeconds: remainingSeconds(begun, pace) },
    coverageFromMs: starts.length === 0 ? null : Math.max(...starts),
    isPartial: current.some((one) => one.isPartial),
    // Those of the generation before stay members until the new one has been prepared.
    members: known.reduce((total, one) => total + one.members, 0),
    incompleteProfiles: known.reduce((total, one) => total + one.incompleteProfiles, 0),
  };
}
