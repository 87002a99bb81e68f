import type { Host } from "#host";
import type { CommittedOffset, PartitionOffset, TopicPartition } from "#kafka";
import type { Brokers } from "./brokers.ts";
import { ClusterError } from "./errors.ts";
import { Group } from "./group.ts";

/** One commit that the cluster took. */
export interface Commit extends TopicPartition {
  readonly atMs: number;
  readonly groupId: string;
  /** Below 0: the client gave the place up, because it was out of range (fact 8). */
  readonly offset: number;
  /** What was kept beside it. */
  readonly metadata: string | undefined;
  /** What stood there before; undefined for the first. */
  readonly before: number | undefined;
  readonly memberId: string;
  readonly process: string;
  readonly generation: number;
  /** The partition was the member's by the assignment of its generation. */
  readonly isOwner: boolean;
}

export interface CommitRequest {
  readonly process: string;
  readonly groupId: string;
  readonly memberId: string;
  readonly generation: number;
  readonly positions: readonly CommittedOffset[];
}

/** What is committed of one partition. */
export type Kept = Pick<CommittedOffset, "offset" | "metadata">;

/** What stood where a commit stands now. */
interface Replaced extends TopicPartition {
  readonly before: Kept | undefined;
}

export interface CoordinatorsParts {
  readonly host: Host;
  readonly brokers: Brokers;
  onChange(what: string): void;
  onCommit(commit: Commit): void;
}

/** As the brokers' offset.metadata.max.bytes. */
const MAX_METADATA_BYTES = 4_096;

/** All groups, which broker coordinates each, and what was committed. */
export class Coordinators {
  readonly #parts: CoordinatorsParts;
  readonly #groups = new Map<string, Group>();
  readonly #brokerOf = new Map<string, number>();
  /** By group, by topic, by partition. */
  readonly #committed = new Map<string, Map<string, Map<number, Kept>>>();
  /** By group, in order: what each request replaced. */
  readonly #taken = new Map<string, Replaced[][]>();

  constructor(parts: CoordinatorsParts) {
    this.#parts = parts;
  }

  get groups(): ReadonlyMap<string, Group> {
    return this.#groups;
  }

  /** The broker to ask about a group. */
  find(groupId: string): number {
    const known = this.#brokerOf.get(groupId);
    if (known !== undefined) {
      if (this.#parts.brokers.isUp(known)) return known;
      throw ClusterError.refused("GROUP_COORDINATOR_NOT_AVAILABLE");
    }
    const { ids } = this.#parts.brokers;
    const broker = ids[this.#brokerOf.size % ids.length] ?? this.#parts.brokers.anyUp();
    this.#brokerOf.set(groupId, broker);
    return broker;
  }

  /** The group at this broker, made on first use. */
  at(broker: number, groupId: string): Group {
    if (this.#brokerOf.get(groupId) !== broker) throw ClusterError.refused("NOT_COORDINATOR_FOR_GROUP");
    let group = this.#groups.get(groupId);
    if (group === undefined) {
      group = new Group(groupId, this.#parts);
      this.#groups.set(groupId, group);
    }
    return group;
  }

  /** Every group of this broker gets another coordinator, where another broker is up. */
  moveFrom(broker: number): void {
    for (const [groupId, coordinator] of this.#brokerOf) if (coordinator === broker) this.#move(groupId);
  }

  /** Another broker coordinates the group, where one is up, and lacks its last commits, so many requests. */
  lose(groupId: string, requests: number): PartitionOffset[] {
    if (!this.#move(groupId)) return [];
    const lost = (this.#taken.get(groupId) ?? []).splice(-requests).reverse().flat();
    const left = new Map<string, PartitionOffset>();
    for (const { before, partition, topic } of lost) {
      const ofTopic = this.#committedOf(groupId, topic);
      if (before === undefined) ofTopic.delete(partition);
      else ofTopic.set(partition, before);
      left.set(`${topic}-${partition}`, { topic, partition, offset: before?.offset ?? -1 });
    }
    return [...left.values()];
  }

  commit(broker: number, { process, groupId, memberId, generation, positions }: CommitRequest): void {
    const group = this.at(broker, groupId);
    group.checkCommit(memberId, generation);
    const atMs = this.#parts.host.elapsed();
    const assignment = group.members.get(memberId)?.assignment;
    const isTooLarge = ({ metadata = "" }: Kept): boolean => metadata.length > MAX_METADATA_BYTES;
    const taken: Replaced[] = [];
    this.#taken.set(groupId, [...(this.#taken.get(groupId) ?? []), taken]);
    for (const { topic, partition, offset, metadata } of positions) {
      if (isTooLarge({ offset, metadata })) continue;
      const ofTopic = this.#committedOf(groupId, topic);
      const before = ofTopic.get(partition);
      const isOwner = assignment?.partitionsByTopic.get(topic)?.includes(partition) === true;
      ofTopic.set(partition, { offset, metadata });
      taken.push({ topic, partition, before });
      this.#parts.onCommit({
        atMs,
        groupId,
        topic,
        partition,
        offset,
        metadata,
        before: before?.offset,
        memberId,
        process,
        generation,
        isOwner,
      });
    }
    if (positions.some(isTooLarge)) throw ClusterError.refused("OFFSET_METADATA_TOO_LARGE");
  }

  /** As nobody's member. False while the group has one. */
  commitUnlessJoined(groupId: string, places: readonly CommittedOffset[]): boolean {
    if ((this.#groups.get(groupId)?.members.size ?? 0) > 0) return false;
    for (const { topic, partition, offset, metadata } of places)
      this.#committedOf(groupId, topic).set(partition, { offset, metadata });
    return true;
  }

  /** By partition. */
  committed(groupId: string, topic: string): ReadonlyMap<number, Kept> {
    return this.#committedOf(groupId, topic);
  }

  delete(groupId: string): void {
    this.#groups.delete(groupId);
    this.#committed.delete(groupId);
    this.#taken.delete(groupId);
  }

  /** False when no other broker is up. */
  #move(groupId: string): boolean {
    const { brokers } = this.#parts;
    const others = brokers.ids.filter((id) => id !== this.#brokerOf.get(groupId) && brokers.isUp(id));
    const next = others[groupId.length % others.length];
    if (next === undefined) return false;
    this.#brokerOf.set(groupId, next);
    this.#groups.get(groupId)?.moved();
    return true;
  }

  #committedOf(groupId: string, topic: string): Map<number, Kept> {
    let ofGroup = this.#committed.get(groupId);
    if (ofGroup === undefined) {
      ofGroup = new Map();
      this.#committed.set(groupId, ofGroup);
    }
    let ofTopic = ofGroup.get(topic);
    if (ofTopic === undefined) {
      ofTopic = new Map();
      ofGroup.set(topic, ofTopic);
    }
    return ofTopic;
  }
}
