import type { Admin } from "#kafka";
import type { ReplayStretch } from "#topics";
import type { RoutedUpTo } from "../../deliveries/calls/trace.ts";
import { type Folded, untilFolded } from "../imports/up-to-date.ts";

/** Clocks of the machines that accept calls and that write jobs may be so far apart. */
const CLOCKS_APART_MS = 300_000;

/**
 * What of delivery-jobs has the jobs of calls accepted since then (Unix ms; undefined: of all), up to its ends now. A call may be routed long
 * after it was accepted, so nothing at the end is left out. Of every partition: a destination may have had more shards than now.
 */
export async function jobStretches(
  admin: Pick<Admin, "offsets" | "offsetForTime">,
  topicName: string,
  fromMs: number | undefined,
): Promise<ReplayStretch[]> {
  return (await stretchesSince(admin, topicName, fromMs)).filter(isSomething);
}

type Routers = Folded & { readonly admin: Pick<Admin, "offsetForTime"> };

/** How far the routers are with calls. */
export function routedCalls(routers: Routers) {
  const { admin, groupId, topic } = routers;
  const routedUpTo = (): Promise<RoutedUpTo> => admin.committedOffsets(groupId, topic);
  return {
    routedUpTo,
    untilRouted: (signal: AbortSignal): Promise<void> => untilFolded(routers, signal),
    /** What of calls routers have done with, accepted since then (Unix ms). */
    async callStretches(fromMs: number | undefined): Promise<ReplayStretch[]> {
      const committed = await routedUpTo();
      const endOf = ({ partition, toOffset }: ReplayStretch): number =>
        Math.min(toOffset, committed.get(partition) ?? 0);
      const stretches = await stretchesSince(admin, topic, fromMs);
      return stretches.map((stretch) => ({ ...stretch, toOffset: endOf(stretch) })).filter(isSomething);
    },
  };
}

function isSomething({ fromOffset, toOffset }: ReplayStretch): boolean {
  return fromOffset < toOffset;
}

/** Of each partition, empty ones too, in their order. */
async function stretchesSince(
  admin: Pick<Admin, "offsets" | "offsetForTime">,
  topicName: string,
  fromMs: number | undefined,
): Promise<ReplayStretch[]> {
  const offsets = await admin.offsets(topicName);
  // A time before 1970 is none for Kafka.
  const sinceMs = Math.max(0, (fromMs ?? 0) - CLOCKS_APART_MS);
  const starts = sinceMs === 0 ? [] : await admin.offsetForTime(topicName, sinceMs);
  const first = new Map(starts.map(({ partition, offset }) => [partition, offset]));
  return offsets
    .toSorted((one, other) => one.partition - other.partition)
    .map(({ partition, low, high }) => {
      const fromOffset = Math.min(Math.max(low, first.get(partition) ?? low), high);
      return { partition, fromOffset, toOffset: high };
    });
}
