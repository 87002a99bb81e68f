import type { ServiceName } from "#contract";
import type { TopicPartition } from "#kafka";
import type { Topic } from "#topics";
import { versionsOf } from "../laws/audience-versions.ts";
import { isOlderByItsClock, saidOfCuts } from "../laws/cuts.ts";
import type { World } from "../world/world.ts";

/**
 * Of a log that ends before its group's commit: since it was cut somebody has said so, or a member that had read what was lost has committed it.
 * What was written since then is to be read, and who has read it commits it; but for what seems to be older than what was lost.
 */
function isKnown({ history, logs }: World, groupId: string, { partition, topic }: TopicPartition): boolean {
  const isOf = (of: Partial<TopicPartition>): boolean => of.topic === topic && of.partition === partition;
  const { happenings } = history;
  const place = happenings.findLastIndex((each) => each.kind === "cut" && isOf(each.partition));
  const cut = happenings[place];
  if (cut?.kind !== "cut") return true;
  const isOlder = isOlderByItsClock(history, { ...cut, place });
  const isToBeRead = happenings.some(
    (each, at) =>
      each.kind === "appended" &&
      at > place &&
      isOf(each.record) &&
      !isOlder({ record: each.record, place: at }),
  );
  if (isToBeRead) return false;
  const isCommitted = happenings.some(
    (each, at) => each.kind === "committed" && at > place && each.groupId === groupId && isOf(each.partition),
  );
  return isCommitted || saidOfCuts({ logs: logs.lines }).some((said) => isOf(said) && said.atMs >= cut.atMs);
}

/** What is not through yet, for people; empty when everything is. */
export function leftOver(world: World): string {
  const { cluster, plan, topics } = world;
  const isRun = (service: ServiceName): boolean =>
    plan.processes.some((process) => process.service === service);
  const left = (groupId: string, { name }: Topic): string[] => {
    const committed = cluster.committed(groupId, name);
    const before = committedBeforeLoss(world, groupId, name);
    return cluster.bounds(name).flatMap(({ low, high }, partition) => {
      // A commit below 0 was given up: its reader begins at the start.
      const place = committed.get(partition) ?? -1;
      // What was removed, or lost at the log's end since, nobody can read.
      const at = Math.max(place, low);
      const known = Math.max(place, before.get(partition) ?? 0);
      // Who reads on below the start of the log is told, says so, and gives the place up.
      const isBelow = place >= 0 && known < low;
      // So with who fetches beyond the end of a log that was cut.
      const isBeyond = at > high && high > low && !isKnown(world, groupId, { topic: name, partition });
      const isThrough = !isBelow && !isBeyond && Math.max(known, low) >= high;
      return isThrough ? [] : [`${name}-${partition} is committed to ${isBelow ? place : at} of ${high}`];
    });
  };
  const routed = isRun("webhook-router") ? left("webhook-router", topics.calls) : [];
  const folded = isRun("audience-processor")
    ? [...left("audience-processor-calls", topics.calls), ...left("audience-processor", topics.profileEvents)]
    : [];
  const read = [topics.deliveryJobs, ...topics.deliveryRetries].flatMap((topic) => left("deliverer", topic));
  // One who has something that is paused waits for it.
  const isPaused = [...versionsOf(world).values()].some(({ newest }) => newest.isPaused);
  const given = plan.members && !isPaused ? left("control", topics.destinationConfig) : [];
  const regulated = plan.members ? left("control", topics.regulations) : [];
  const imported = plan.members ? left("control", topics.membershipImports) : [];
  const watched = cluster.groups.includes("control")
    ? [
        ...left("control", topics.replays),
        ...left("control", topics.deliveryAttempts),
        ...left("control", topics.deadLetters),
      ]
    : [];
  return [...routed, ...folded, ...read, ...given, ...regulated, ...imported, ...watched].join(", ");
}

/**
 * By partition, what a group had committed of which it lost the commit since: it is through, and who reads commits no offset twice. But for a
 * member that has joined since: it commits all that it has done once more.
 */
function committedBeforeLoss(
  { history, plan }: World,
  groupId: string,
  topic: string,
): ReadonlyMap<number, number> {
  const highest = new Map<number, number>();
  const known = new Map<number, number>();
  const members = new Set(plan.processes.flatMap(({ name, service }) => (service === groupId ? [name] : [])));
  for (const happening of history.happenings) {
    if (happening.kind === "disturbed" && happening.by === "rebalance" && members.has(happening.process))
      known.clear();
    if (happening.kind !== "committed" && happening.kind !== "commits_lost") continue;
    const { partition, topic: of } = happening.partition;
    if (happening.groupId !== groupId || of !== topic) continue;
    if (happening.kind === "committed")
      highest.set(partition, Math.max(happening.offset, highest.get(partition) ?? 0));
    else known.set(partition, highest.get(partition) ?? 0);
  }
  return known;
}
