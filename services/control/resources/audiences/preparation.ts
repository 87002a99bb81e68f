// How long the audience processor takes until an audience is live that it has not begun: from the log's size. While it works remaining.ts says it.
import { type ComputationSet, isKnownFromSummary, type LeafUse } from "#audiences";
import type { AudienceConfig } from "#topics";
import type { Pause } from "../../records/profiles/slices.ts";
import { compiledWithReferences, leafKeysOf } from "./compiled.ts";
import type { AudienceParts } from "./parts.ts";
import { PROFILES_A_SECOND } from "./remaining.ts";
import { statusOf } from "./views.ts";

/** What is to be done before an audience is live. */
export interface Preparation {
  /** Events of profiles that are read from the log again. */
  readonly eventsToRead: number;
  /** About how long one audience processor takes; several take a share each. */
  readonly seconds: number;
}

type Parts = Pick<
  AudienceParts,
  "audienceProgress" | "audiences" | "eventsSince" | "nowMs" | "pace" | "profilePartitions" | "slices"
>;

type StatusParts = Pick<Parts, "audienceProgress" | "audiences" | "nowMs" | "pace" | "profilePartitions">;

/** Leaves on calls: what one asks for is there when the counts by name say it, or when a live audience has counted it for as long as it asks. */
export function unknownLeaves(parts: StatusParts, set: ComputationSet, pause: Pause): Promise<LeafUse[]> {
  const isInLog = ({ plan }: LeafUse): boolean => !isAboutMembers(plan) && !isKnownFromSummary(plan);
  return leavesOfNoLive(parts, { set, isMeant: isInLog }, pause);
}

/** Leaves on audiences of an account's members that no live audience asks for: accounts learn of them when one does. */
export function untoldLeaves(parts: StatusParts, set: ComputationSet, pause: Pause): Promise<LeafUse[]> {
  return leavesOfNoLive(parts, { set, isMeant: ({ plan }) => isAboutMembers(plan) }, pause);
}

export function isAboutMembers({ leaf }: LeafUse["plan"]): boolean {
  return leaf.type === "member";
}

async function leavesOfNoLive(
  parts: StatusParts,
  { isMeant, set }: { readonly set: ComputationSet; readonly isMeant: (use: LeafUse) => boolean },
  pause: Pause,
): Promise<LeafUse[]> {
  const configs = parts.audiences.list();
  const unknown = new Map([...set.leaves].filter(([, use]) => isMeant(use)));
  for (const config of configs) {
    if (unknown.size === 0) break;
    if (config.deletedAtMs !== null || config.kind === "list") continue;
    const { isPartial, progress } = statusOf(config, parts);
    if (progress === null && !isPartial) for (const key of leafKeysOf(config, configs)) unknown.delete(key);
    await pause();
  }
  return [...unknown.values()];
}

/** Of one that is not begun; undefined where Kafka does not say how long the log is. */
export async function preparationOf(
  parts: Parts,
  config: AudienceConfig,
  profiles: number,
): Promise<Preparation | undefined> {
  const pause = parts.slices.begin();
  const set = await compiledWithReferences(config, parts.audiences.list(), pause);
  const nowMs = parts.nowMs();
  const starts = (await unknownLeaves(parts, set, pause)).map(({ plan }) =>
    Math.max(plan.leaf.window.afterMs, nowMs - plan.lookBackMs),
  );
  if (starts.length === 0) return { eventsToRead: 0, seconds: Math.ceil(profiles / PROFILES_A_SECOND) };
  try {
    const eventsToRead = await parts.eventsSince(Math.min(...starts));
    const seconds = eventsToRead / parts.pace.backfillPerSecond + profiles / PROFILES_A_SECOND;
    return { eventsToRead, seconds: Math.ceil(seconds) };
  } catch {
    // The audience is made all the same.
    return undefined;
  }
}
