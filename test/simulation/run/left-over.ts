import type { ServiceName } from "#contract";
import type { Topic } from "#topics";
import type { World } from "../world/world.ts";

/** What is not through yet, for people; empty when everything is. */
export function leftOver(world: World): string {
  const { cluster, plan, topics } = world;
  const isRun = (service: ServiceName): boolean =>
    plan.processes.some((process) => process.service === service);
  const left = (groupId: string, { name }: Topic): string[] => {
    const committed = cluster.committed(groupId, name);
    return cluster.bounds(name).flatMap(({ low, high }, partition) => {
      // A commit below 0 was given up: its reader begins at the start.
      const place = committed.get(partition) ?? -1;
      const at = place < 0 ? low : place;
      return at >= high ? [] : [`${name}-${partition} is committed to ${at} of ${high}`];
    });
  };
  const routed = isRun("webhook-router") ? left("webhook-router", topics.calls) : [];
  const folded = isRun("audience-processor")
    ? [...left("audience-processor-calls", topics.calls), ...left("audience-processor", topics.profileEvents)]
    : [];
  const read = [topics.deliveryJobs, ...topics.deliveryRetries].flatMap((topic) => left("deliverer", topic));
  const watched = cluster.groups.includes("control-replays")
    ? [
        ...left("control-replays", topics.replays),
        ...left("control-health", topics.deliveryAttempts),
        ...left("control-health", topics.deadLetters),
      ]
    : [];
  return [...routed, ...folded, ...read, ...watched].join(", ");
}
