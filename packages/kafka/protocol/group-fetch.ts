import type kafkajs from "kafkajs";
import ConsumerGroup, {
  type AssignedTopic,
  type ClientBatch,
  type ConsumerGroupInternals,
} from "kafkajs/src/consumer/consumerGroup.js";
import { type Host, systemHost } from "#host";
import { FetchPace } from "./fetch-pace.ts";
import type { DecodedMessage } from "./fetch-protocol.ts";

/** How one consumer fetches. */
interface Habit {
  readonly unhurriedTopics: ReadonlySet<string>;
  /** By broker: the client fetches from each of them in a loop of its own. */
  readonly paces: Map<number, FetchPace>;
}

/** By the consumer's cluster, which is all that its assigner and its group have in common. */
const habits = new WeakMap<object, Habit>();

function habitOf(cluster: object, unhurriedTopics: readonly string[] = []): Habit {
  let habit = habits.get(cluster);
  if (habit === undefined) {
    habit = { unhurriedTopics: new Set(unhurriedTopics), paces: new Map() };
    habits.set(cluster, habit);
  }
  return habit;
}

/** The consumer that uses this assigner asks for these topics a few times a second only (see FetchPace). */
export function unhurriedAt(
  topics: readonly string[],
  assigner: kafkajs.PartitionAssigner,
): kafkajs.PartitionAssigner {
  return (config) => {
    habitOf(config.cluster, topics);
    return assigner(config);
  };
}

const INSTALLED = Symbol.for("hookline.group-fetch");

/**
 * Lets consumers fetch at a pace. The client asks again the moment an answer is handled, for every partition by name, and hands
 * on what is empty too: with a retry topic for each delay that is most of what a request costs at both ends. Safe to call again.
 */
export function installGroupFetch(): void {
  const target: ConsumerGroupInternals & { [INSTALLED]?: true } = ConsumerGroup.prototype;
  if (target[INSTALLED] === true) return;
  target[INSTALLED] = true;
  target.fetch = pacedFetch(target.fetch);
}

type Fetch = ConsumerGroupInternals["fetch"];

/** Exported for its tests. Every consumer of the process comes through here, so that the host is the process's own. */
export function pacedFetch(fetch: Fetch, host: Pick<Host, "elapsed" | "delay"> = systemHost): Fetch {
  return async function paced(this: ConsumerGroupInternals, nodeId) {
    const { paces, unhurriedTopics } = habitOf(this.cluster);
    const pace = paces.get(nodeId) ?? new FetchPace();
    paces.set(nodeId, pace);
    const waitMs = pace.waitMs(host.elapsed());
    if (waitMs > 0) await host.delay(waitMs);
    const askedAtMs = host.elapsed();
    const withUnhurried = unhurriedTopics.size === 0 || pace.isUnhurriedDue(askedAtMs);
    const fetched = await fetch.call(withUnhurried ? this : inAHurry(this, unhurriedTopics), nodeId);
    const batches = fetched.filter(({ rawMessages }) => rawMessages.length > 0);
    const records = recordsIn(batches);
    const unhurriedRecords = recordsIn(batches.filter(({ topic }) => unhurriedTopics.has(topic)));
    const times = { askedAtMs, nowMs: host.elapsed(), withUnhurried };
    pace.fetched({ records, unhurriedRecords }, times);
    return batches;
  };
}

/** The same group in everything but what it asks for. */
function inAHurry(
  group: ConsumerGroupInternals,
  unhurriedTopics: ReadonlySet<string>,
): ConsumerGroupInternals {
  const isFetched = ({ topic, partitions }: AssignedTopic): boolean =>
    partitions.some((partition) => !group.isPaused(topic, partition));
  const filterPartitionsByNode = (nodeId: number, assigned: readonly AssignedTopic[]) => {
    const hurried = group.filterPartitionsByNode(
      nodeId,
      assigned.filter(({ topic }) => !unhurriedTopics.has(topic)),
    );
    // With nothing to ask for the client would sleep instead.
    return hurried.some(isFetched) ? hurried : group.filterPartitionsByNode(nodeId, assigned);
  };
  return Object.create(group, {
    filterPartitionsByNode: { value: filterPartitionsByNode },
    // It writes into the group.
    recoverFromFetch: { value: (error: unknown) => group.recoverFromFetch(error) },
  }) as ConsumerGroupInternals;
}

function recordsIn(batches: readonly ClientBatch[]): number {
  return batches.reduce((sum, { rawMessages }) => {
    const [only] = rawMessages as readonly Partial<DecodedMessage>[];
    return sum + (only?.records?.length ?? rawMessages.length);
  }, 0);
}
