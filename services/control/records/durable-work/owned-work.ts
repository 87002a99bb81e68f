// Work of which each record has one owner: one consumer group for all of it, so one join, one heartbeat and one fetch a process (decision 122).
import { type Kafka, type Runner, type Share, shareOf, type TopicPartition } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import { consumerGroups, formerControlGroups, type TopicMap } from "#topics";

type Context = Pick<
  ServiceContext<{ readonly topics: { readonly prefix: string } }>,
  "lifecycle" | "settings"
>;

export interface OwnedWorkParts {
  readonly kafka: Kafka;
  readonly topics: TopicMap;
}

/** A feature's share. */
interface OwnedShare<T> extends Omit<Share<T>, "finishMs"> {
  /** Ends the work; its records stay in hand until their partitions are lost. */
  end?(): Promise<void>;
  /** The longest that a stop waits for what is outstanding then; 0 unless given. */
  readonly finishMs?: number;
}

export interface OwnedWork {
  /** Takes part in the group with these topics, from `start` on. */
  add<T>(share: OwnedShare<T>): void;
  /** Joins the group with all that was added. The API does not wait for it. */
  start(): void;
  /** What is assigned to this process. */
  readonly assigned: readonly TopicPartition[];
}

/** What a feature that takes part is opened with. */
export interface OwningParts extends OwnedWorkParts {
  readonly serde: Serde;
  readonly ownedWork: Pick<OwnedWork, "add">;
}

/**
 * Two who work on one replay send its calls twice, and the end that the one writes does not count what the other has sent. Before another process
 * can have it there has to be time to notice, and to write how far it is.
 */
const UNSURE_AFTER_SESSIONS = 0.9;

/** Nobody waits for it by the millisecond. */
const HASTE = { fetchPauseMs: 200, commitAfterMs: 500 };

export function createOwnedWork(
  { lifecycle, settings }: Context,
  { kafka, topics }: OwnedWorkParts,
): OwnedWork {
  const { prefix } = settings.topics;
  const shares: Share<unknown>[] = [];
  const ends: (() => Promise<void>)[] = [];
  let runner: Runner | undefined;
  return {
    add({ end, finishMs = 0, ...share }) {
      shares.push(shareOf({ ...share, finishMs }));
      if (end !== undefined) ends.push(end);
    },
    start() {
      const joined = kafka.sharedRunner({
        groupId: consumerGroups(prefix).control.id,
        formerGroups: formerGroupsOf(prefix, topics, shares),
        shares,
        // No step of these writes through the runner.
        producer: kafka.producer(),
        haste: () => HASTE,
        unsureAfterSessions: UNSURE_AFTER_SESSIONS,
      });
      runner = joined;
      lifecycle.onStop("owned work", async (graceMs) => {
        await Promise.all(ends.map((end) => end()));
        // What is open is not settled: the next owner goes on with it.
        await joined.stop(graceMs);
      });
      joined.failed.catch((error: unknown) => lifecycle.fail(error));
      joined.start().catch((error: unknown) => lifecycle.fail(error));
    },
    get assigned() {
      return runner?.assigned ?? [];
    },
  };
}

/** Tells whether this process has the topic's first partition: work that has no record is done by one process, too. */
export function ownsFirst(
  work: Pick<OwnedWork, "assigned">,
  { name }: { readonly name: string },
): () => boolean {
  return () => work.assigned.some(({ partition, topic }) => partition === 0 && topic === name);
}

function formerGroupsOf(
  prefix: string,
  topics: TopicMap,
  shares: readonly Share<unknown>[],
): ReadonlyMap<string, string> {
  const read = new Set(shares.flatMap((share) => share.topics));
  return new Map([...formerControlGroups(prefix, topics)].filter(([topic]) => read.has(topic)));
}
