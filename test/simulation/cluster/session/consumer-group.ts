import type { RawRecord, SessionHandlers, SessionOptions, TopicPartition } from "#kafka";
import type { Connection } from "../connection.ts";
import type { Coordinators } from "../coordinators.ts";
import { ClusterError, nameOf, refusalOf } from "../errors.ts";
import type { JoinAnswer } from "../members.ts";
import { ClientMetadata } from "../metadata.ts";
import { FetchPace } from "./fetch-pace.ts";
import { type Fetched, FetchWait } from "./fetch-wait.ts";
import { keyOf, nextOf, type Place, Places } from "./places.ts";
import { Bail, retrying } from "./retrier.ts";

/** As the product's session has them: client-session.ts. */
const HEARTBEAT_MS = 500;
const MAX_FETCH_WAIT_MS = 250;

const METADATA_MAX_AGE_MS = 300_000;

const REBALANCING: ReadonlySet<string | undefined> = new Set([
  "REBALANCE_IN_PROGRESS",
  "NOT_COORDINATOR_FOR_GROUP",
  "ILLEGAL_GENERATION",
]);

const STALE_METADATA: ReadonlySet<string | undefined> = new Set([
  "LEADER_NOT_AVAILABLE",
  "NOT_LEADER_FOR_PARTITION",
  "UNKNOWN_TOPIC_OR_PARTITION",
]);

export function isRebalancing(thrown: unknown): boolean {
  return REBALANCING.has(refusalOf(thrown));
}

/** One partition's records, with the join after which they were asked for. */
export interface Batch extends TopicPartition {
  readonly places: Places;
  readonly records: readonly RawRecord[];
  readonly nextOffset: number;
}

export interface ConsumerGroupParts {
  readonly connection: Connection;
  readonly coordinators: Coordinators;
  readonly options: SessionOptions;
  readonly handlers: SessionHandlers;
}

/**
 * One consumer's side of its group, as the client has it: what joins, asks, commits and finds its way back. Several fetchers use it at
 * a time; one of them may join again while the others' fetches are under way.
 */
export class ConsumerGroup {
  readonly #parts: ConsumerGroupParts;
  readonly #metadata: ClientMetadata;
  readonly #paused = new Set<string>();
  readonly #seeks = new Map<string, number>();
  readonly #paces = new Map<number, FetchPace>();
  readonly #waits = new Map<FetchWait, number>();
  #metadataAtMs = 0;
  #memberId: string | undefined;
  #generation = 0;
  #coordinator = 0;
  #lent: string | undefined;
  #places: Places | undefined;
  #beatAtMs = 0;
  #beating: Promise<void> | undefined;
  #isBeatPlanned = false;
  #isDisconnected = false;

  constructor(parts: ConsumerGroupParts) {
    this.#parts = parts;
    this.#metadata = new ClientMetadata(parts.connection);
    this.#lent = parts.options.rejoinAs;
    this.#beatAtMs = parts.connection.host.elapsed();
  }

  get places(): Places | undefined {
    return this.#places;
  }

  get brokerIds(): readonly number[] {
    return this.#metadata.ids;
  }

  /** Knows the topics; rejects while there are none. */
  async connect(): Promise<void> {
    await retrying(this.#host, () => this.#metadata.add(this.#parts.options.topics));
    this.#metadataAtMs = this.#host.elapsed();
  }

  /** Nothing that is asked any more gets out. */
  disconnect(): void {
    this.#isDisconnected = true;
    for (const wait of this.#waits.keys()) wait.end();
  }

  forgetMember(): void {
    this.#memberId = undefined;
  }

  pause(partition: TopicPartition, paused: boolean): void {
    const key = keyOf(partition);
    if (paused === this.#paused.has(key)) return;
    if (paused) this.#paused.add(key);
    else this.#paused.delete(key);
    // What was asked for while it was not paused is dropped when it comes; a resume waits for the next fetch.
    if (!paused) this.endWaitsInTime();
  }

  seek(partition: TopicPartition, offset: number): void {
    this.#seeks.set(keyOf(partition), offset);
    this.endWaitsInTime();
  }

  async leave(): Promise<void> {
    const memberId = this.#memberId;
    if (memberId === undefined) return;
    await this.#ask("leave", () => this.#group().leave(memberId));
    this.#memberId = undefined;
  }

  /** False before the first join. */
  async commit(positions: readonly (TopicPartition & { offset: number })[]): Promise<boolean> {
    const places = this.#places;
    if (places === undefined) return false;
    await this.#commitIn(places, positions);
    for (const position of positions) {
      const place = this.#places?.at(keyOf(position));
      if (place !== undefined) place.committed = position.offset;
    }
    return true;
  }

  joinAndSync(): Promise<void> {
    return retrying(this.#host, async () => {
      try {
        await this.#joinOnce();
      } catch (thrown) {
        if (isRebalancing(thrown))
          throw Object.assign(ClusterError.refused("REQUEST_TIMED_OUT"), { cause: thrown });
        if (refusalOf(thrown) !== "UNKNOWN_MEMBER_ID") throw new Bail(thrown);
        this.#memberId = undefined;
        throw Object.assign(ClusterError.refused("REQUEST_TIMED_OUT"), { cause: thrown });
      }
    });
  }

  /** Tells the coordinator that the member is there, when it is time to. */
  async heartbeat(): Promise<void> {
    if (this.#memberId === undefined || this.#host.elapsed() < this.#beatAtMs + HEARTBEAT_MS) return;
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    await this.#beating;
  }

  /** What one broker has of the assigned partitions that are not paused; nothing when it is time for something else. */
  async fetch(broker: number): Promise<readonly Batch[]> {
    try {
      if (this.#host.elapsed() - this.#metadataAtMs > METADATA_MAX_AGE_MS) await this.#refresh();
      const { places } = this;
      if (places === undefined) return [];
      const ofBroker = places.all.filter((place) => this.#metadata.leader(place) === broker);
      for (const place of ofBroker) this.#applySeek(place);
      await this.#resolve(places);
      const fetched = await this.#wait(broker, ofBroker);
      return fetched
        .filter(({ topic, partition }) => {
          const key = keyOf({ topic, partition });
          return !this.#seeks.has(key) && !this.#paused.has(key);
        })
        .map(({ topic, partition, records, nextOffset }) => ({
          topic,
          partition,
          records,
          nextOffset,
          places,
        }));
    } catch (thrown) {
      await this.#recover(thrown);
      return [];
    }
  }

  /** The batch's records were handed on. */
  resolved({ topic, partition, nextOffset, places }: Batch): void {
    const place = places.at(keyOf({ topic, partition }));
    if (place !== undefined) place.next = nextOffset;
  }

  get #host() {
    return this.#parts.connection.host;
  }

  #group() {
    return this.#parts.coordinators.at(this.#coordinator, this.#parts.options.groupId);
  }

  async #joinOnce(): Promise<void> {
    const { handlers, options } = this.#parts;
    this.#coordinator = await this.#findCoordinator();
    await handlers.onRebalancing();
    const joined = await this.#join().catch((thrown: unknown) => {
      handlers.onJoinFailed();
      throw thrown;
    });
    this.#memberId = joined.memberId;
    // Heartbeats of the other fetchers are of this generation from now on, commits only once it is synced.
    this.#generation = joined.generation;
    const { memberId, generation } = joined;
    const coordinator = this.#coordinator;
    const assignment = await this.#sync(joined);
    const assigned = [...assignment].flatMap(([topic, partitions]) =>
      options.topics.includes(topic) ? partitions.map((partition) => ({ topic, partition })) : [],
    );
    this.#places = new Places({ memberId, generation, coordinator }, assigned);
    this.#seeks.clear();
    this.#planBeat();
    this.endWaitsInTime();
    handlers.onAnswered(this.#host.now());
    handlers.onJoin({ memberId, generation, assigned });
  }

  async #join(): Promise<JoinAnswer> {
    const memberId = this.#memberId ?? this.#lent;
    try {
      const joined = await this.#ask("join", () => this.#group().join(this.#joinRequest(memberId)));
      this.#lent = undefined;
      return joined;
    } catch (thrown) {
      if (refusalOf(thrown) === "UNKNOWN_MEMBER_ID") this.#lent = undefined;
      throw thrown;
    }
  }

  #joinRequest(memberId: string | undefined) {
    const { connection, options } = this.#parts;
    const { sessionTimeoutMs, rebalanceTimeoutMs, assigner } = options;
    return {
      process: connection.process,
      memberId,
      sessionTimeoutMs,
      rebalanceTimeoutMs,
      userData: assigner.userData(),
    };
  }

  async #sync({
    memberId,
    generation,
    leaderId,
    members,
  }: JoinAnswer): Promise<ReadonlyMap<string, readonly number[]>> {
    const { assigner, topics } = this.#parts.options;
    const isLeader = leaderId === memberId;
    if (isLeader) await this.#refresh();
    const counts = new Map(topics.map((topic) => [topic, this.#metadata.leadersOf(topic).length]));
    const assignment = isLeader ? assigner.assign(members, counts) : new Map();
    return this.#ask("sync", () => this.#group().sync(memberId, generation, assignment));
  }

  #findCoordinator(): Promise<number> {
    return retrying(this.#host, async () => {
      try {
        const broker = this.#parts.connection.brokers.anyUp();
        const { groupId } = this.#parts.options;
        return await this.#call("find_coordinator", broker, () => this.#parts.coordinators.find(groupId));
      } catch (thrown) {
        if (
          refusalOf(thrown) === "GROUP_COORDINATOR_NOT_AVAILABLE" ||
          nameOf(thrown) === "KafkaJSConnectionError"
        )
          throw thrown;
        throw new Bail(thrown);
      }
    });
  }

  async #beat(): Promise<void> {
    const memberId = this.#memberId ?? "";
    const generation = this.#generation;
    const askedAtMs = this.#host.now();
    await this.#ask("heartbeat", () => this.#group().heartbeat(memberId, generation));
    this.#parts.handlers.onAnswered(askedAtMs);
    this.#beatAtMs = this.#host.elapsed();
    this.#planBeat();
  }

  /** A fetch that waits ends when the next heartbeat is due; the client's ends four times a second. */
  #planBeat(): void {
    if (this.#isBeatPlanned) return;
    this.#isBeatPlanned = true;
    const inMs = Math.max(1, this.#beatAtMs + HEARTBEAT_MS - this.#host.elapsed());
    this.#host.setTimeout(() => {
      this.#isBeatPlanned = false;
      if (this.#isDisconnected) return;
      // One that was planned for an earlier heartbeat than the latest comes too early.
      if (this.#host.elapsed() < this.#beatAtMs + HEARTBEAT_MS) this.#planBeat();
      else for (const wait of this.#waits.keys()) if (wait.end()) break;
    }, inMs);
  }

  /** Ends every fetch that waits, at the end of what would be the client's longest wait. */
  endWaitsInTime(): void {
    for (const [wait, beganAtMs] of this.#waits) {
      const waitedMs = (this.#host.elapsed() - beganAtMs) % MAX_FETCH_WAIT_MS;
      if (wait.isEnding) continue;
      wait.isEnding = true;
      this.#host.setTimeout(() => wait.end(), MAX_FETCH_WAIT_MS - waitedMs);
    }
  }

  async #wait(broker: number, ofBroker: readonly Place[]): Promise<readonly Fetched[]> {
    const asked = ofBroker
      .filter((place) => place.committed !== undefined && !this.#paused.has(place.key))
      .map((place) => ({ topic: place.topic, partition: place.partition, offset: nextOf(place) }));
    const wait = new FetchWait(this.#parts.connection, broker, { asked, pace: this.#pace(broker) });
    this.#waits.set(wait, this.#host.elapsed());
    try {
      const ended = wait.run(this.#parts.options.groupId);
      if (this.#isDisconnected) wait.end();
      if (this.#host.elapsed() >= this.#beatAtMs + HEARTBEAT_MS) this.#planBeat();
      return await ended;
    } finally {
      this.#waits.delete(wait);
    }
  }

  #pace(broker: number): FetchPace {
    let pace = this.#paces.get(broker);
    if (pace === undefined) {
      pace = new FetchPace(new Set(this.#parts.options.unhurriedTopics));
      this.#paces.set(broker, pace);
    }
    return pace;
  }

  #applySeek(place: Place): void {
    const offset = this.#seeks.get(place.key);
    if (offset === undefined) return;
    this.#seeks.delete(place.key);
    place.next = offset;
  }

  /** Learns the commits that are not known yet, and the log's start where there is none. */
  async #resolve(places: Places): Promise<void> {
    const unknown = places.all.filter(({ committed }) => committed === undefined || committed < 0);
    if (unknown.length === 0) return;
    const { coordinators, options, connection } = this.#parts;
    const { groupId } = options;
    const committed = await this.#call("committed", places.coordinator, () => {
      coordinators.at(places.coordinator, groupId);
      return unknown.map(
        ({ topic, partition }) => coordinators.committed(groupId, topic).get(partition) ?? -1,
      );
    });
    const missing = unknown.filter((_, index) => (committed[index] ?? -1) < 0);
    const starts = new Map<Place, number>();
    const byLeader = Map.groupBy(missing, (place) => this.#metadata.leader(place));
    await Promise.all(
      Array.from(byLeader, ([broker, ofLeader]) =>
        this.#call("list_offsets", broker, () => {
          for (const place of ofLeader) starts.set(place, connection.brokers.led(place, broker).log.low);
        }),
      ),
    );
    for (const [index, place] of unknown.entries()) place.committed = starts.get(place) ?? committed[index];
  }

  async #recover(thrown: unknown): Promise<void> {
    const name = nameOf(thrown);
    if (STALE_METADATA.has(refusalOf(thrown))) {
      await this.#refresh();
      await this.joinAndSync();
    } else if (name === "KafkaJSOffsetOutOfRange") {
      await this.#beginAgain(thrown as ClusterError & TopicPartition);
    } else if (name !== "KafkaJSConnectionClosedError") {
      if (name === "KafkaJSConnectionError") await this.#refresh();
      throw thrown;
    }
  }

  /** Out of range: the client gives the place up by a commit, and begins at the log's start. */
  async #beginAgain({ topic, partition }: TopicPartition): Promise<void> {
    const places = this.#places;
    const place = places?.at(keyOf({ topic, partition }));
    if (places === undefined || place === undefined) return;
    const fromOffset = nextOf(place);
    const broker = this.#metadata.leader(place);
    const { low, high } = await this.#call(
      "list_offsets",
      broker,
      () => this.#parts.connection.brokers.led(place, broker).log,
    );
    if (fromOffset >= low && fromOffset <= high) {
      await this.#refresh();
      return;
    }
    if (fromOffset < low) this.#parts.handlers.onRecordsGone({ topic, partition, fromOffset, toOffset: low });
    await this.#commitIn(places, [{ topic, partition, offset: -2 }]);
    place.committed = undefined;
    place.next = undefined;
  }

  async #commitIn(
    { memberId, generation, coordinator }: Places,
    positions: readonly (TopicPartition & { offset: number })[],
  ): Promise<void> {
    const { connection, coordinators, options } = this.#parts;
    const request = {
      process: connection.process,
      groupId: options.groupId,
      memberId,
      generation,
      positions,
    };
    try {
      await this.#call("commit", coordinator, () => coordinators.commit(coordinator, request));
    } catch (thrown) {
      if (refusalOf(thrown) === "NOT_COORDINATOR_FOR_GROUP") await this.#refresh();
      throw thrown;
    }
  }

  async #refresh(): Promise<void> {
    await this.#metadata.refresh();
    this.#metadataAtMs = this.#host.elapsed();
  }

  #ask<R>(api: "join" | "sync" | "heartbeat" | "leave", work: () => R | Promise<R>): Promise<R> {
    return this.#call(api, this.#coordinator, work);
  }

  #call<R>(
    api: Parameters<Connection["call"]>[0]["api"],
    broker: number,
    work: () => R | Promise<R>,
  ): Promise<R> {
    const { connection, options } = this.#parts;
    if (this.#isDisconnected) return Promise.reject(ClusterError.closed(broker));
    return connection.call({ api, broker, groupId: options.groupId }, (reached) => {
      if (reached.kind === "refuse") throw ClusterError.refused(reached.error);
      return work();
    });
  }
}
