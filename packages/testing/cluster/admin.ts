import type { ClusterAdmin, Commit, CommittedOffset, NewTopic, PartitionOffsets, TopicShape } from "#kafka";
import { type Brokers, NO_LEADER, type Partition } from "./brokers.ts";
import type { Connection } from "./connection.ts";
import type { Coordinators } from "./coordinators.ts";
import { ClusterError } from "./errors.ts";
import type { Api } from "./faults.ts";

/** One process's administration of the cluster. */
export class SimulatedAdmin implements ClusterAdmin {
  readonly #connection: Connection;
  readonly #coordinators: Coordinators;

  constructor(connection: Connection, coordinators: Coordinators) {
    this.#connection = connection;
    this.#coordinators = coordinators;
  }

  listTopics(): Promise<string[]> {
    return this.#ask("admin", ({ topics }) => [...topics.keys()]);
  }

  createTopics(topics: readonly NewTopic[]): Promise<void> {
    return this.#ask("admin", (brokers) => {
      for (const { name, partitions, replicationFactor, settings } of topics)
        brokers.create({ name, replicationFactor, settings: { ...settings } }, partitions);
    });
  }

  deleteTopics(topics: readonly string[]): Promise<void> {
    return this.#ask("admin", (brokers) => {
      for (const topic of topics) {
        brokers.topic(topic);
        brokers.delete(topic);
      }
    });
  }

  shapes(topics: readonly string[]): Promise<ReadonlyMap<string, TopicShape>> {
    return this.#ask("metadata", (brokers) => {
      return new Map(
        topics.map((name) => {
          const { partitions, replicationFactor } = brokers.topic(name);
          return [name, { leaders: partitions.map(({ leader }) => leader), replicationFactor }];
        }),
      );
    });
  }

  settings(topics: readonly string[]): Promise<ReadonlyMap<string, Readonly<Record<string, string>>>> {
    return this.#ask(
      "admin",
      (brokers) => new Map(topics.map((name) => [name, brokers.topic(name).settings])),
    );
  }

  alterSetting(topic: string, setting: string, value: string): Promise<void> {
    return this.#ask("admin", (brokers) => {
      brokers.topic(topic).settings[setting] = value;
    });
  }

  offsets(topic: string): Promise<PartitionOffsets[]> {
    return this.#ask("list_offsets", (brokers) =>
      this.#led(brokers, topic).map(({ partition, log }) => ({ partition, low: log.low, high: log.high })),
    );
  }

  offsetsAt(topic: string, timestampMs: number): Promise<{ partition: number; offset: number }[]> {
    return this.#ask("list_offsets", (brokers) =>
      this.#led(brokers, topic).map(({ partition, log }) => ({
        partition,
        offset: log.offsetAt(timestampMs),
      })),
    );
  }

  commits(groupId: string, topic: string): Promise<Map<number, Commit>> {
    return this.#ask("committed", (brokers) => {
      brokers.topic(topic);
      const committed = [...this.#coordinators.committed(groupId, topic)];
      return new Map(
        committed.flatMap(([partition, { metadata, offset }]) =>
          offset < 0 ? [] : [[partition, { offset, metadata }] as const],
        ),
      );
    });
  }

  memberCount(groupIds: readonly string[]): Promise<number> {
    return this.#ask("admin", () => {
      const { groups } = this.#coordinators;
      return groupIds.reduce((sum, groupId) => sum + (groups.get(groupId)?.members.size ?? 0), 0);
    });
  }

  commitUnlessJoined(groupId: string, places: readonly CommittedOffset[]): Promise<boolean> {
    return this.#ask("commit", () => this.#coordinators.commitUnlessJoined(groupId, places));
  }

  async reset(): Promise<void> {
    // There is nothing to throw away.
  }

  async close(): Promise<void> {
    // There is nothing to close.
  }

  /** A partition that nobody leads is left out of the answer; one whose leader has just gone makes the question fail. */
  #led(brokers: Brokers, topic: string): Partition[] {
    const led = brokers.topic(topic).partitions.filter(({ leader }) => leader !== NO_LEADER);
    const gone = led.find(({ leader }) => !brokers.isUp(leader));
    if (gone !== undefined) throw ClusterError.unreachable(gone.leader);
    return led;
  }

  async #ask<R>(api: Api, work: (brokers: Brokers) => R): Promise<R> {
    const { brokers } = this.#connection;
    return this.#connection.call({ api, broker: this.#connection.anyBroker() }, (reached) => {
      if (reached.kind === "refuse") throw ClusterError.refused(reached.error);
      return work(brokers);
    });
  }
}
