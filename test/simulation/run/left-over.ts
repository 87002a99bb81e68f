import type { Topic } from "#topics";
import type { World } from "../world/world.ts";

/** What is not through yet, for people; empty when everything is. */
export function leftOver(world: World): string {
  const { cluster, topics } = world;
  const left = (groupId: string, { name }: Topic): string[] => {
    const committed = cluster.committed(groupId, name);
    return cluster.bounds(name).flatMap(({ low, high }, partition) => {
      // A commit below 0 was given up: its reader begins at the start.
      const place = committed.get(partition) ?? -1;
      const at = place < 0 ? low : place;
      return at >= high ? [] : [`${name}-${partition} is committed to ${at} of ${high}`];
    });
  };
  const read = [topics.deliveryJobs, ...topics.deliveryRetries].flatMap((topic) => left("deliverer", topic));
  const watched = cluster.groups.includes("control-replays")
    ? [
        ...left("control-replays", topics.replays),
        ...left("control-health", topics.deliveryAttempts),
        ...left("control-health", topics.deadLetters),
      ]
    : [];
  return [...left("webhook-router", topics.calls), ...read, ...watched].join(", ");
}
