import type kafkajs from "kafkajs";
import ConsumerGroup, {
  type AssignedTopic,
  type ClientBatch,
  type ConsumerGroupInternals,
} from "kafkajs/src/consumer/consumerGroup.js";
import { type Host, systemHost } from "#host";
import { closeFetchConnections } from "./fetch-connections.ts";
import { FetchPace, fetchWaitMs } from "./fetch-pace.ts";
import type { DecodedMessage } from "./fetch-protocol.ts";
import { FetchWaits } from "./fetch-waits.ts";
import { isPatched } from "./patched.ts";

/** Settings of one consumer's fetches. */
export interface FetchHabit {
  /** It asks for these a few times a second only (see FetchPace). */
  readonly unhurriedTopics: readonly string[];
  /** The shortest time from one answer with records to its next fetch. */
  readonly fetchPauseMs: () => number;
  /** Interval of the loop's rounds, which send the heartbeats. */
  readonly heartbeatMs: number;
  /** The same while nothing was fetched for `QUIET_AFTER_MS`. */
  readonly quietHeartbeatMs: number;
}

/** A member that had nothing to read for so long hands over nothing that anybody waits for. */
const QUIET_AFTER_MS = 3_000;

/** Settings of a consumer that set none. */
const NO_HABIT: FetchHabit = {
  unhurriedTopics: [],
  fetchPauseMs: () => 0,
  heartbeatMs: 0,
  quietHeartbeatMs: 0,
};

/** One consumer's fetches. */
interface Fetching extends Omit<FetchHabit, "unhurriedTopics"> {
  readonly unhurriedTopics: ReadonlySet<string>;
  /** When a fetch last had records, or the first one began, in the host's elapsed ms. */
  readAtMs: number | undefined;
  /** When the newest heartbeat was answered, or the first one was thought of, in the host's elapsed ms. */
  beatAtMs: number | undefined;
  /** Paces by broker: the client fetches from each of them in a loop of its own. */
  readonly paces: Map<number, FetchPace>;
  readonly waits: FetchWaits;
}

/** Consumers by their cluster, which is all that a consumer's assigner and its group have in common. */
const consumers = new WeakMap<object, Fetching>();

function fetchingOf(cluster: object, { unhurriedTopics, ...habit }: FetchHabit = NO_HABIT): Fetching {
  let fetching = consumers.get(cluster);
  if (fetching === undefined) {
    const waits = new FetchWaits(systemHost);
    fetching = {
      ...habit,
      unhurriedTopics: new Set(unhurriedTopics),
      readAtMs: undefined,
      beatAtMs: undefined,
      paces: new Map(),
      waits,
    };
    consumers.set(cluster, fetching);
  }
  return fetching;
}

/** The consumer that uses this assigner fetches so. */
export function fetchingAs(
  habit: FetchHabit,
  assigner: kafkajs.PartitionAssigner,
): kafkajs.PartitionAssigner {
  return (config) => {
    fetchingOf(config.cluster, habit);
    return assigner(config);
  };
}

/** Fetches that wait for records come back with nothing, so that their loops do what is due before the next one. */
export function endFetchWaits(cluster: kafkajs.Cluster): void {
  fetchingOf(cluster).waits.end();
}

/**
 * Ends the fetches of a consumer that is stopping, and lets none begin. Its loops would go round without a
 * pause otherwise.
 */
export function endFetching(cluster: kafkajs.Cluster): void {
  fetchingOf(cluster).waits.close();
  closeFetchConnections(cluster);
}

/**
 * Lets consumers fetch at a pace. The client asks again the moment an answer is handled, for every partition by name, and hands
 * on what is empty too: with a retry topic for each delay that is most of what a request costs at both ends. Safe to call again.
 */
export function installGroupFetch(): void {
  const target: ConsumerGroupInternals = ConsumerGroup.prototype;
  if (isPatched(target, "group fetch")) return;
  target.fetch = pacedFetch(target.fetch);
  target.heartbeat = pacedHeartbeat(target.heartbeat);
}

type Heartbeat = ConsumerGroupInternals["heartbeat"];

function heartbeatMsOf(
  { heartbeatMs, quietHeartbeatMs, readAtMs }: Fetching,
  host: Pick<Host, "elapsed">,
): number {
  const isQuiet = readAtMs !== undefined && host.elapsed() - readAtMs >= QUIET_AFTER_MS;
  return isQuiet ? quietHeartbeatMs : heartbeatMs;
}

/**
 * One loop's heartbeat tells of a rebalance: the join waits for the loops of all brokers. Heartbeats are rarer while nothing is
 * read. The client goes by the wall clock, which may be set back: one that is due by the time that has elapsed is
 * made due by the clock. Exported for its tests.
 */
export function pacedHeartbeat(
  heartbeat: Heartbeat,
  host: Pick<Host, "elapsed" | "now"> = systemHost,
): Heartbeat {
  return async function heartbeatOrEnd(this: ConsumerGroupInternals, { interval }) {
    const fetching = fetchingOf(this.cluster);
    const everyMs = Math.max(interval, heartbeatMsOf(fetching, host));
    fetching.beatAtMs ??= host.elapsed();
    const isDue = heartbeatInMs(this, everyMs, host) <= 0;
    if (isDue) this.lastRequest = Math.min(this.lastRequest, host.now() - everyMs);
    const { lastRequest } = this;
    try {
      await heartbeat.call(this, { interval: everyMs });
      if (this.lastRequest !== lastRequest) fetching.beatAtMs = host.elapsed();
    } catch (thrown) {
      fetching.waits.endSoon();
      throw thrown;
    }
  };
}

/** By the clock that has gone further since the last one. */
function heartbeatInMs(
  { cluster, lastRequest }: ConsumerGroupInternals,
  everyMs: number,
  host: Pick<Host, "elapsed" | "now">,
): number {
  const { beatAtMs = host.elapsed() } = fetchingOf(cluster);
  return everyMs - Math.max(host.now() - lastRequest, host.elapsed() - beatAtMs);
}

type Fetch = ConsumerGroupInternals["fetch"];

/** Exported for its tests. Every consumer of the process comes through here, so that the host is the process's own. */
export function pacedFetch(fetch: Fetch, host: Pick<Host, "elapsed" | "delay" | "now"> = systemHost): Fetch {
  return async function paced(this: ConsumerGroupInternals, nodeId) {
    const fetching = fetchingOf(this.cluster);
    const { fetchPauseMs, paces, unhurriedTopics, waits } = fetching;
    const pace = paces.get(nodeId) ?? new FetchPace(fetchPauseMs);
    paces.set(nodeId, pace);
    const waitMs = pace.waitMs(host.elapsed());
    if (waitMs > 0) await host.delay(waitMs);
    const askedAtMs = host.elapsed();
    fetching.readAtMs ??= askedAtMs;
    const withUnhurried = unhurriedTopics.size === 0 || pace.isUnhurriedDue(askedAtMs);
    const isWhole = withUnhurried && !pace.isFirst;
    const asking = withUnhurried ? this : inAHurry(this, unhurriedTopics);
    const fetched = await waits.run((wait) =>
      fetch.call(waiting(asking, { wait, waitMs: () => waitOf(this, { fetching, isWhole, host }) }), nodeId),
    );
    if (fetched === undefined) return [];
    const batches = fetched.filter(({ rawMessages }) => rawMessages.length > 0);
    const records = recordsIn(batches);
    const unhurriedRecords = recordsIn(batches.filter(({ topic }) => unhurriedTopics.has(topic)));
    const nowMs = host.elapsed();
    if (records > 0) fetching.readAtMs = nowMs;
    const times = { askedAtMs, nowMs, withUnhurried };
    pace.fetched({ records, unhurriedRecords }, times);
    return batches;
  };
}

interface WaitParts {
  readonly fetching: Fetching;
  /** It asks for all topics. */
  readonly isWhole: boolean;
  readonly host: Pick<Host, "elapsed" | "now">;
}

function waitOf(group: ConsumerGroupInternals, { fetching, isWhole, host }: WaitParts): number {
  const asksForAll = isWhole && group.paused().length === 0;
  return fetchWaitMs(asksForAll, heartbeatInMs(group, heartbeatMsOf(fetching, host), host));
}

/** The same group in everything but how long it waits. */
function waiting(
  group: ConsumerGroupInternals,
  { wait, waitMs }: { readonly wait: { readonly isEnded: boolean }; readonly waitMs: () => number },
): ConsumerGroupInternals {
  return Object.create(group, {
    maxWaitTime: { get: waitMs },
    // It writes into the group. Where nobody waits for the fetch any more, nobody joins again because of it either.
    recoverFromFetch: {
      value: async (error: unknown) => {
        if (!wait.isEnded) await group.recoverFromFetch(error);
      },
    },
  }) as ConsumerGroupInternals;
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
    // The client would sleep if it had nothing to ask for.
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
