import type { TopicPartition } from "#kafka";
import { cuts } from "./cuts.ts";
import { logName } from "./identity.ts";
import { law, onceOf, type Story, type Written } from "./story.ts";

/** A stretch of a partition, its end not included. */
interface Stretch extends TopicPartition {
  readonly fromOffset: number;
  readonly toOffset: number;
}

interface Removed extends Stretch {
  readonly atMs: number;
}

/** A stretch that a process says was removed before it had read it. */
interface Said extends Stretch {
  readonly process: string;
  readonly atMs: number;
}

type Record = Pick<Written<unknown>, "record" | "place">;

export interface Removals {
  /** Retention has removed it, read or not; or brokers have lost it at the end of its log, or it stands where another one was lost. */
  isRemoved(written: Record): boolean;
  isRemovedBy(atMs: number, written: Record): boolean;
  /** It was removed, and somebody says that it was not read; or nobody can know, as its group had no place yet in the partition. */
  isLost(written: Record): boolean;
}

/** Retention has removed what waited in front of it: a pass leaves all of a log be whose beginning may be in its reader's hand. */
export function standsBehindCut({ happenings }: Story, { record }: Record): boolean {
  return happenings.some(
    (happening) =>
      happening.kind === "removed" &&
      happening.partition.topic === record.topic &&
      happening.partition.partition === record.partition &&
      happening.below > 0,
  );
}

function saidOf({ logs }: Story): Said[] {
  return logs
    .filter(({ message }) => message === "records were removed before they were read")
    .map(({ atMs, facts, process }) => ({ ...(facts as Stretch), process, atMs }));
}

/**
 * What was removed, and which of it while no member of a group had committed anything of the partition, or the client had given up its
 * place: it commits -2 where the log was cut and no time is known. Who starts after that cannot know what it had in hand.
 */
function removedOf({ happenings }: Story): { removed: Removed[]; unknown: Stretch[] } {
  const committed = new Map<string, number>();
  const [removed, unknown]: [Removed[], Stretch[]] = [[], []];
  for (const happening of happenings) {
    const { kind } = happening;
    if (kind !== "committed" && kind !== "commits_lost" && kind !== "removed") continue;
    const { topic, partition } = happening.partition;
    const key = logName(happening.partition);
    if (kind !== "removed") {
      committed.set(key, happening.offset);
      if (happening.offset < 0) unknown.push(...removed.filter((each) => isOf(each, happening.partition)));
    } else {
      const stretch = { topic, partition, fromOffset: 0, toOffset: happening.below, atMs: happening.atMs };
      removed.push(stretch);
      if ((committed.get(key) ?? -1) < 0) unknown.push(stretch);
    }
  }
  return { removed, unknown };
}

function isOf(one: TopicPartition, { partition, topic }: TopicPartition): boolean {
  return one.topic === topic && one.partition === partition;
}

function isIn(stretches: readonly Stretch[], { record }: Pick<Record, "record">): boolean {
  return stretches.some(
    ({ fromOffset, partition, toOffset, topic }) =>
      topic === record.topic &&
      partition === record.partition &&
      fromOffset <= record.offset &&
      record.offset < toOffset,
  );
}

/** What brokers have removed, and who says so. */
export const removals = onceOf((story): Removals => {
  const { removed, unknown } = removedOf(story);
  const lost = [...saidOf(story), ...unknown];
  const { isCut, isUnseen } = cuts(story);
  const isCutOff = (written: Record): boolean => isCut(written) || isUnseen(written);
  return {
    isRemoved: (written) => isIn(removed, written) || isCutOff(written),
    isRemovedBy(byMs, written) {
      const byThen = removed.filter(({ atMs }) => atMs <= byMs);
      return isIn(byThen, written) || isCutOff(written);
    },
    isLost: (written) => isIn(lost, written) || isCutOff(written),
  };
});

/** What it says it has not read it has committed itself, in each group that has committed any of it. In a log that it says was cut it may have gone back. */
function isCommitted(story: Story, said: Said): boolean {
  if (cuts(story).said.some((cut) => isOf(cut, said) && cut.atMs <= said.atMs)) return false;
  const byGroup = new Map<string, boolean>();
  for (const each of story.happenings) {
    if (each.atMs >= said.atMs) break;
    if ((each.kind !== "committed" && each.kind !== "commits_lost") || !isOf(each.partition, said)) continue;
    const isOwn = each.kind === "committed" && each.process === said.process;
    byGroup.set(each.groupId, isOwn && each.offset > said.fromOffset);
  }
  return byGroup.size > 0 && [...byGroup.values()].every(Boolean);
}

/** A process says that records are gone when they are and it had not read them, and its counter says the same. */
export const lossesAreCounted = law(
  "what was removed unread is counted, and nothing else",
  function* (story) {
    const said = saidOf(story);
    const { removed } = said.length === 0 ? { removed: [] } : removedOf(story);
    for (const each of said) {
      const { atMs, fromOffset, partition, process, toOffset, topic } = each;
      if (isCommitted(story, each))
        yield `${process} at ${atMs} ms: ${topic}-${partition} lost ${fromOffset} to ${toOffset} unread, and it had committed more than ${fromOffset}`;
      const below = Math.max(
        0,
        ...removed.filter((stretch) => isOf(stretch, each)).map((stretch) => stretch.toOffset),
      );
      if (toOffset > below)
        yield `${process} at ${atMs} ms: ${topic}-${partition} lost ${fromOffset} to ${toOffset}, and what was removed is below ${below}`;
    }
    for (const { counted, process, topic } of story.losses) {
      const own = said.filter((each) => each.process === process && each.topic === topic);
      const records = own.reduce((sum, { fromOffset, toOffset }) => sum + toOffset - fromOffset, 0);
      if (records !== counted) yield `${process} counts ${counted} of ${topic} as lost, and says ${records}`;
    }
  },
);
