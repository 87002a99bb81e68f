import type { CommittedOffset, RawRecord, SessionHandlers, SessionOptions, TopicPartition } from "#kafka";
import type { Connection } from "../connection.ts";
import type { Coordinators } from "../coordinators.ts";
import { ClusterError, nameOf, refusalOf } from "../errors.ts";
import { ClientMetadata } from "../metadata.ts";
import { Calls } from "./calls.ts";
import { fetchWaitMs } from "./fetch-pace.ts";
import type { FetchedFrom } from "./fetch-wait.ts";
import { FetchWaits } from "./fetch-waits.ts";
import { Heartbeats } from "./heartbeats.ts";
import { isRebalancing, isTriedAgain, Membership } from "./membership.ts";
import { keyOf, nextOf, type Place, type Places } from "./places.ts";
import { Bail, retrying } from "./retrier.ts";

const METADATA_MAX_AGE_MS = 300_000;

const STALE_METADATA: ReadonlySet<string | undefined> = new Set([
  "LEADER_NOT_AVAILABLE",
  "NOT_LEADER_FOR_PARTITION",
  "UNKNOWN_TOPIC_OR_PARTITION",
]);

function isKnown({ committed }: Place): boolean {
  return committed !== undefined && committed >= 0;
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
  readonly #calls: Calls;
  readonly #membership: Membership;
  readonly #heartbeats: Heartbeats;
  readonly #waits: FetchWaits;
  readonly #paused = new Set<string>();
  readonly #seeks = new Map<string, number>();
  #metadataAtMs = 0;
  #places: Places | undefined;
  #joining: Promise<void> | undefined;
  readonly #rejoins = { asked: 0, done: 0 };
  #isOver = false;

  constructor(parts: ConsumerGroupParts) {
    const { connection, handlers, options } = parts;
    const { host, process } = connection;
    const { groupId, unhurriedTopics = [] } = options;
    this.#parts = parts;
    this.#metadata = new ClientMetadata(connection);
    this.#calls = new Calls(parts);
    const metadata = this.#metadata;
    this.#membership = new Membership({ calls: this.#calls, handlers, metadata, options, process });
    this.#waits = new FetchWaits(connection, {
      groupId,
      unhurriedTopics,
      fetchPauseMs: () => options.fetchPauseMs(),
    });
    this.#heartbeats = new Heartbeats({
      host,
      everyMs: options.heartbeatMs,
      send: () => this.#beat(),
      interrupt: () => void this.#waits.endOne(),
    });
  }

  get places(): Places | undefined {
    return this.#places;
  }

  get brokerIds(): readonly number[] {
    return this.#metadata.ids;
  }

  /** Knows the topics; rejects while there are none. */
  async connect(): Promise<void> {
    await retrying(this.#calls.host, () => this.#metadata.add(this.#parts.options.topics));
    this.#metadataAtMs = this.#calls.host.elapsed();
  }

  /** Nothing that is asked any more gets out. */
  disconnect(): void {
    this.#calls.disconnect();
    this.#heartbeats.stop();
    this.#waits.close();
  }

  forgetMember(): void {
    this.#membership.forget();
  }

  leave(): Promise<void> {
    return this.#membership.leave();
  }

  pause(partition: TopicPartition, paused: boolean): void {
    const key = keyOf(partition);
    if (paused === this.#paused.has(key)) return;
    if (paused) this.#paused.add(key);
    else this.#paused.delete(key);
    // What was asked for while it was not paused is dropped when it comes; a resume waits for the next fetch.
    if (!paused) this.endWaits("in time");
  }

  seek(partition: TopicPartition, offset: number): void {
    this.#seeks.set(keyOf(partition), offset);
    this.endWaits("in time");
  }

  /** The session is being stopped: no place is given up any more. */
  end(): void {
    this.#isOver = true;
  }

  get #isToRejoin(): boolean {
    return this.#rejoins.asked > this.#rejoins.done;
  }

  /** Fetches are refused as in a rebalance, until it has joined. */
  rejoin(): void {
    this.#rejoins.asked += 1;
    this.endWaits("now");
  }

  /** Fetches that wait come back with nothing. */
  endWaits(when: "now" | "in time"): void {
    if (when === "now") this.#waits.abandon();
    else this.#waits.endInTime();
  }

  /** False before the first join. */
  async commit(positions: readonly CommittedOffset[]): Promise<boolean> {
    const places = this.#places;
    if (places === undefined) return false;
    await this.#commitIn(places, positions);
    for (const position of positions) {
      const place = this.#places?.at(keyOf(position));
      if (place !== undefined) place.committed = position.offset;
    }
    return true;
  }

  /** One at a time: packages/kafka/protocol/client-group.ts. */
  joinAndSync(): Promise<void> {
    this.#joining ??= this.#joinAndSync().finally(() => {
      this.#joining = undefined;
    });
    return this.#joining;
  }

  #joinAndSync(): Promise<void> {
    return retrying(this.#calls.host, async () => {
      const { asked } = this.#rejoins;
      try {
        this.#joined(await this.#membership.join());
        this.#rejoins.done = asked;
      } catch (thrown) {
        if (!isTriedAgain(thrown)) throw new Bail(thrown);
        if (!isRebalancing(thrown)) this.#membership.forget();
        // What the client's retrier tries again.
        throw Object.assign(ClusterError.refused("REQUEST_TIMED_OUT"), { cause: thrown });
      }
    });
  }

  /** Tells the coordinator that the member is there, when it is time to. */
  heartbeat(): Promise<void> | undefined {
    return this.#membership.isMember ? this.#heartbeats.whenDue() : undefined;
  }

  /** What one broker has of the assigned partitions that are not paused; nothing when it is time for something else. */
  async fetch(broker: number, isWanted: () => boolean): Promise<readonly Batch[]> {
    if (this.#isToRejoin) throw ClusterError.refused("REBALANCE_IN_PROGRESS");
    try {
      if (this.#calls.host.elapsed() - this.#metadataAtMs > METADATA_MAX_AGE_MS) await this.#refresh();
      const { places } = this;
      if (places === undefined) return [];
      const ofBroker = places.ledBy(broker, this.#metadata);
      if (this.#seeks.size > 0) for (const place of ofBroker) this.#applySeek(place);
      await this.#resolve(places);
      const asked = this.#askedOf(ofBroker);
      // It was told so while it asked for its places; the client's fetch has ended by then.
      if (!isWanted() || this.#isToRejoin) return [];
      if (this.#heartbeats.isDue) this.#heartbeats.plan();
      const maxWaitMs = fetchWaitMs(this.#paused.size === 0, this.#heartbeats.inMs);
      const fetched = await this.#waits.run(broker, { asked, maxWaitMs });
      if (fetched.length === 0) return [];
      return fetched
        .filter((batch) => !this.#seeks.has(keyOf(batch)) && !this.#paused.has(keyOf(batch)))
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

  #joined(places: Places): void {
    const { handlers } = this.#parts;
    const { memberId, generation, userData } = places;
    this.#metadataAtMs = this.#calls.host.elapsed();
    this.#places = places;
    this.#seeks.clear();
    this.#heartbeats.plan();
    this.endWaits("in time");
    handlers.onAnswered(this.#calls.host.now());
    handlers.onJoin({
      memberId,
      generation,
      assigned: places.all.map(({ topic, partition }) => ({ topic, partition })),
      userData,
    });
  }

  async #beat(): Promise<void> {
    const askedAtMs = this.#calls.host.now();
    await this.#membership.heartbeat();
    this.#parts.handlers.onAnswered(askedAtMs);
  }

  #askedOf(places: readonly Place[]): FetchedFrom[] {
    const asked: FetchedFrom[] = [];
    for (const place of places) {
      const { committed, key, partition, topic } = place;
      if (committed !== undefined && !this.#paused.has(key))
        asked.push({ topic, partition, offset: nextOf(place) });
    }
    return asked;
  }

  #applySeek(place: Place): void {
    const offset = this.#seeks.get(place.key);
    if (offset === undefined) return;
    this.#seeks.delete(place.key);
    place.next = offset;
  }

  /** Learns the commits that are not known yet, and the log's start where there is none. */
  async #resolve(places: Places): Promise<void> {
    if (places.all.every(isKnown)) return;
    const unknown = places.all.filter((place) => !isKnown(place));
    const commits = await this.#calls.committed(places.coordinator, unknown);
    if (places === this.#places) this.#parts.handlers.onCommitsRead(commits);
    const missing = unknown.filter((_, index) => (commits[index]?.offset ?? -1) < 0);
    const bounds = await this.#calls.bounds(missing, this.#metadata);
    for (const [index, place] of unknown.entries())
      place.committed = bounds.get(place)?.low ?? commits[index]?.offset;
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

  /**
   * Out of range: it goes on at the log's start where retention was faster, and from a time where the log was cut; where no time is known, the client
   * gives the place up by a commit. Who has joined again since asks anew.
   */
  async #beginAgain({ topic, partition }: TopicPartition): Promise<void> {
    const places = this.#places;
    const place = places?.at(keyOf({ topic, partition }));
    if (places === undefined || place?.committed === undefined) return;
    const fromOffset = nextOf(place);
    const { low = 0, high = 0 } = (await this.#calls.bounds([place], this.#metadata)).get(place) ?? {};
    if (places !== this.#places || this.#isOver) return;
    if (fromOffset >= low && fromOffset <= high) {
      await this.#refresh();
      return;
    }
    if (fromOffset < low) {
      this.#parts.handlers.onRecordsGone({ topic, partition, fromOffset, toOffset: low });
      place.next = low;
      return;
    }
    const cut = { topic, partition, fromOffset, startOffset: low, endOffset: high };
    const sinceMs = this.#parts.handlers.onLogCut(cut);
    // As the client is told to: what follows may fail.
    place.next = low;
    if (sinceMs !== undefined) {
      place.next = await this.#calls.offsetAt(place, this.#metadata, sinceMs);
      return;
    }
    await this.#commitIn(places, [{ topic, partition, offset: -2 }]);
    place.committed = undefined;
    place.next = undefined;
  }

  async #commitIn(places: Places, positions: readonly CommittedOffset[]): Promise<void> {
    try {
      await this.#calls.commit(places, positions);
    } catch (thrown) {
      if (refusalOf(thrown) === "NOT_COORDINATOR_FOR_GROUP") await this.#refresh();
      throw thrown;
    }
  }

  async #refresh(): Promise<void> {
    await this.#metadata.refresh();
    this.#metadataAtMs = this.#calls.host.elapsed();
  }
}
