import type { TopicPartition, TopicSpec } from "#kafka";
import { ClusterError } from "./errors.ts";
import { PartitionLog } from "./partition-log.ts";
import { ProducerStates } from "./producer-states.ts";

export const NO_LEADER = -1;

/** A fetch that waits at a broker. */
export interface ParkedFetch {
  /** One of its partitions has new records, or another leader. */
  notify(partition: Partition): void;
}

/** One partition: its log, who leads it, and who waits for its next record. */
export interface Partition extends TopicPartition {
  readonly log: PartitionLog;
  readonly producers: ProducerStates;
  leader: number;
  readonly parked: Set<ParkedFetch>;
}

export interface Topic {
  readonly name: string;
  readonly settings: Record<string, string>;
  readonly replicationFactor: number;
  readonly partitions: readonly Partition[];
}

/** The brokers, what they store, and who of them leads what. */
export class Brokers {
  readonly #topics = new Map<string, Topic>();
  readonly #down = new Set<number>();
  readonly #random: () => number;
  #producerIds = 0;
  /** As metadata answers list them: a broker that died is there until it is noticed. Replaced with every change. */
  #ids: readonly number[];

  constructor(count: number, random: () => number) {
    this.#ids = Array.from({ length: count }, (_, index) => index + 1);
    this.#random = random;
  }

  get ids(): readonly number[] {
    return this.#ids;
  }

  get topics(): ReadonlyMap<string, Topic> {
    return this.#topics;
  }

  isUp(broker: number): boolean {
    return !this.#down.has(broker);
  }

  /** Any that answers. */
  anyUp(random = this.#random): number {
    const up = this.#ids.filter((id) => this.isUp(id));
    const broker = up[Math.floor(random() * up.length)];
    if (broker === undefined) throw ClusterError.noBroker();
    return broker;
  }

  /** One that nobody has had. */
  newProducerId(): string {
    this.#producerIds += 1;
    return String(this.#producerIds);
  }

  create(
    spec: { name: string; settings: Record<string, string>; replicationFactor: number },
    count: number,
  ): void {
    if (this.#topics.has(spec.name)) return;
    const { name } = spec;
    const partitions = Array.from({ length: count }, (_, partition) => ({
      topic: name,
      partition,
      log: new PartitionLog({ topic: name, partition }),
      producers: new ProducerStates(),
      leader: this.#ids[(partition + name.length) % this.#ids.length] ?? NO_LEADER,
      parked: new Set<ParkedFetch>(),
    }));
    this.#topics.set(name, { ...spec, partitions });
  }

  delete(topic: string): void {
    const partitions = this.#topics.get(topic)?.partitions ?? [];
    this.#topics.delete(topic);
    for (const partition of partitions) this.lead(partition, NO_LEADER);
  }

  topic(name: string): Topic {
    const topic = this.#topics.get(name);
    if (topic === undefined) throw ClusterError.refused("UNKNOWN_TOPIC_OR_PARTITION");
    return topic;
  }

  /** The partition on the broker that leads it. */
  led({ topic, partition }: TopicPartition, broker: number): Partition {
    const found = this.topic(topic).partitions[partition];
    if (found === undefined) throw ClusterError.refused("UNKNOWN_TOPIC_OR_PARTITION");
    if (found.leader !== broker) throw ClusterError.refused("NOT_LEADER_FOR_PARTITION");
    return found;
  }

  /** Gives the partition a leader; fetches that wait at the old one are told. */
  lead(partition: Partition, leader: number): void {
    if (partition.leader === leader) return;
    partition.leader = leader;
    notify(partition);
  }

  /** Every one of these partitions gets another leader, where there is one. */
  moveLeaders(wanted: (partition: Partition) => boolean): void {
    for (const { partitions } of this.#topics.values()) {
      for (const partition of partitions) if (wanted(partition)) this.#moveLeader(partition);
    }
  }

  /** Another broker leads the partition, where there is one, and has less of it: an unclean election. */
  electUncleanly({ topic, partition }: TopicPartition, lostFrom: number): void {
    const found = this.topic(topic).partitions[partition];
    if (found === undefined) return;
    found.log.loseFrom(lostFrom);
    found.producers.loseFrom(found.log.high);
    this.#moveLeader(found);
    // Who waits behind the end is told, also where the leader is the one it was.
    notify(found);
  }

  take(broker: number): void {
    this.#down.add(broker);
  }

  /** The others have noticed that it is gone. */
  elect(broker: number): void {
    if (this.isUp(broker)) return;
    this.#ids = this.#ids.filter((id) => id !== broker);
    this.moveLeaders(({ leader }) => leader === broker);
  }

  bring(broker: number): void {
    this.#down.delete(broker);
    if (!this.#ids.includes(broker)) this.#ids = [...this.#ids, broker].sort((a, b) => a - b);
    for (const { partitions } of this.#topics.values()) {
      for (const partition of partitions) if (partition.leader === NO_LEADER) this.lead(partition, broker);
    }
  }

  #moveLeader(partition: Partition): void {
    const others = this.#ids.filter((id) => id !== partition.leader && this.isUp(id));
    const isLed = this.isUp(partition.leader);
    const leader = others[Math.floor(this.#random() * others.length)];
    this.lead(partition, leader ?? (isLed ? partition.leader : NO_LEADER));
  }
}

/** Tells the fetches that wait for this partition. */
export function notify(partition: Partition): void {
  for (const parked of partition.parked) parked.notify(partition);
}

/** A topic as the product's map describes it, in the broker's settings. */
export function settingsOf({ cleanup }: TopicSpec): Record<string, string> {
  return cleanup.policy === "compact"
    ? { "cleanup.policy": "compact", "min.compaction.lag.ms": String(cleanup.minCompactionLagMs ?? 0) }
    : { "cleanup.policy": "delete", "retention.ms": String(cleanup.retentionMs) };
}
