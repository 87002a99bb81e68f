import type { Table } from "#kafka";
import type { DestinationConfig, DestinationHealth } from "#topics";
import { isAbout } from "../../resources/destinations/health/written.ts";

type Followed<V extends L, L = V> = Pick<Table<V, L>, "get" | "onChange">;

/**
 * How many of the destinations that are sent calls now have each health, from the changes of both tables: nobody looks through all of them. One
 * that is switched off or paused keeps its health, and of other webhooks than now nothing is known.
 */
export function followStateCounts(
  destinations: Followed<DestinationConfig, Pick<DestinationConfig, "id">>,
  healths: Followed<DestinationHealth>,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  function add(
    destination: DestinationConfig | undefined,
    health: DestinationHealth | undefined,
    by: 1 | -1,
  ): void {
    if (destination === undefined || health === undefined || !isSentTo(destination, health)) return;
    counts.set(health.state, (counts.get(health.state) ?? 0) + by);
  }
  destinations.onChange((id, after, before) => {
    const health = healths.get(id);
    add(before, health, -1);
    add(after === undefined ? undefined : destinations.get(id), health, 1);
  });
  healths.onChange((id, after, before) => {
    const destination = destinations.get(id);
    add(destination, before, -1);
    add(destination, after, 1);
  });
  return counts;
}

function isSentTo({ enabled, pausedAtMs, webhooks }: DestinationConfig, health: DestinationHealth): boolean {
  const urls = webhooks.map(({ url }) => url);
  return enabled && pausedAtMs === null && isAbout(health, urls);
}
