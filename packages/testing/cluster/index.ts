import type { Host } from "#host";
import type { Cluster, PartitionOffset, RawRecord, TopicPartition, TopicSpec } from "#kafka";
import { SimulatedAdmin } from "./admin.ts";
import { Brokers, settingsOf } from "./brokers.ts";
import { Connection, type Network } from "./connection.ts";
import { type Commit, Coordinators } from "./coordinators.ts";
import { type Faults, NO_FAULTS } from "./faults.ts";
import type { NewRecord } from "./partition-log.ts";
import { SimulatedPollClient } from "./poll.ts";
import { SimulatedProduceClient } from "./produce.ts";
import { newProducerId } from "./producer-ids.ts";
import { SimulatedFetchClient } from "./read.ts";
import { SimulatedSession } from "./session/session.ts";

export type { Commit } from "./coordinators.ts";

export interface SimulatedClusterOptions {
  /** Of the brokers and the network. */
  readonly host: Host;
  /** At least 0, below 1. */
  readonly random: () => number;
  /** Three unless given; their ids begin at 1. */
  readonly brokers?: number;
  readonly faults?: Faults;
  /** Called with each record that a process has written, and of each commit that was taken. */
  onAppend?(record: RawRecord, process: string): void;
  onCommit?(commit: Commit): void;
  /** Called with what the cluster does by itself, for a trace. */
  onEvent?(what: string): void;
}

/** How long a broker that died is not missed. */
const ELECTION_MS = 1_000;

/** As the broker's delete.retention.ms. */
const TOMBSTONES_KEPT_MS = 86_400_000;

/** A member of a group as its coordinator has it. */
export interface GroupMember {
  readonly id: string;
  readonly process: string;
  readonly assigned: readonly TopicPartition[];
}

/** Kafka in memory: topics on brokers, groups, and everything that can go wrong between them and the processes that use them. */
export class SimulatedCluster {
  readonly #network: Network;
  readonly #brokers: Brokers;
  readonly #coordinators: Coordinators;
  /** By process; a process that starts again has another. */
  readonly #connections = new Map<string, Connection>();
  readonly #commits: Commit[] = [];

  constructor(options: SimulatedClusterOptions) {
    const { host, random, faults = NO_FAULTS } = options;
    this.#brokers = new Brokers(options.brokers ?? 3, random);
    this.#network = {
      host,
      random,
      brokers: this.#brokers,
      faults,
      onAppend: (record, process) => options.onAppend?.(record, process),
    };
    this.#coordinators = new Coordinators({
      host,
      brokers: this.#brokers,
      onChange: (what) => options.onEvent?.(what),
      onCommit: (commit) => {
        this.#commits.push(commit);
        options.onCommit?.(commit);
      },
    });
  }

  /** Who decides what becomes of requests, from now on. */
  set faults(faults: Faults) {
    this.#network.faults = faults;
  }

  createTopics(specs: readonly TopicSpec[], partitions: number): void {
    for (const spec of specs)
      this.#brokers.create({ name: spec.name, settings: settingsOf(spec), replicationFactor: 3 }, partitions);
  }

  /** The cluster as one process sees it: what `createKafkaOn` takes. Its answers come as timers of the process's host. */
  clusterFor(process: string, host: Host): Cluster {
    return this.#clusterOf(new Connection(this.#network, process, host));
  }

  /** The same for who looks on: no planned fault meets these requests, and the chance of their answers is their own, so that the world goes on as if nobody looked. */
  clusterForWatcher(name: string, host: Host): Cluster {
    const network = { ...this.#network, random: () => host.random(), faults: NO_FAULTS };
    return this.#clusterOf(new Connection(network, name, host));
  }

  #clusterOf(connection: Connection): Cluster {
    this.#connections.set(connection.process, connection);
    const coordinators = this.#coordinators;
    const fetchClient = new SimulatedFetchClient(connection);
    const pollClient = new SimulatedPollClient(connection);
    return {
      newSession: (options, handlers) =>
        new SimulatedSession({ connection, coordinators, options, handlers }),
      newProduceClient: () => new SimulatedProduceClient(connection),
      admin: new SimulatedAdmin(connection, coordinators),
      fetchClient,
      pollClient,
      newProducerId: (near) => newProducerId(connection, near),
      close: async () => {
        await fetchClient.close();
        await pollClient.close();
      },
    };
  }

  /** kill -9. Its members stay in their groups until their sessions are over. */
  kill(process: string): void {
    this.#connections.get(process)?.kill();
  }

  /** Nothing gets through between the process and the brokers. */
  cut(process: string): void {
    this.#connections.get(process)?.cut();
  }

  heal(process: string): void {
    this.#connections.get(process)?.heal();
  }

  /** Other leaders for these partitions, for all unless given. */
  moveLeaders(wanted: (partition: TopicPartition) => boolean = () => true): void {
    this.#brokers.moveLeaders(wanted);
  }

  /** The broker's groups get another coordinator. */
  moveCoordinators(broker: number): void {
    this.#coordinators.moveFrom(broker);
  }

  /** A broker dies; after `electionMs` others lead and coordinate in its place. */
  takeBroker(broker: number, electionMs: number = ELECTION_MS): void {
    this.#brokers.take(broker);
    for (const connection of this.#connections.values()) connection.broke(broker);
    this.#network.host.setTimeout(() => {
      if (this.#brokers.isUp(broker)) return;
      this.#brokers.elect(broker);
      this.#coordinators.moveFrom(broker);
    }, electionMs);
  }

  bringBroker(broker: number): void {
    this.#brokers.bring(broker);
  }

  /** What the partition holds before anything happens: nobody has written it. */
  begin({ topic, partition }: TopicPartition, records: readonly NewRecord[]): void {
    this.#brokers.topic(topic).partitions[partition]?.log.append(records, this.#network.host.now());
  }

  /**
   * Removes what is older than its topic's retention, and what compaction may remove. No topic keeps records from it for longer than
   * `longestLagMs`.
   */
  cleanLogs(longestLagMs = Number.POSITIVE_INFINITY): void {
    const nowMs = this.#network.host.now();
    for (const { settings, partitions } of this.#brokers.topics.values()) {
      const retentionMs = settings["retention.ms"];
      for (const { log } of partitions) {
        if (settings["cleanup.policy"] === "compact")
          log.compact({
            beforeMs: nowMs - Math.min(longestLagMs, Number(settings["min.compaction.lag.ms"] ?? 0)),
            tombstonesBeforeMs: nowMs - Number(settings["delete.retention.ms"] ?? TOMBSTONES_KEPT_MS),
          });
        else if (retentionMs !== undefined) log.expire(nowMs - Number(retentionMs));
      }
    }
  }

  /** Removes the records of one partition below an offset. */
  removeBefore({ topic, partition }: TopicPartition, offset: number): void {
    this.#brokers.topic(topic).partitions[partition]?.log.removeBefore(offset);
  }

  /** The partition's next leader lacks the records from the offset on, acknowledged or not: others will stand there. */
  electUncleanly(partition: TopicPartition, lostFrom: number): void {
    this.#brokers.electUncleanly(partition, lostFrom);
  }

  /** The group's next coordinator lacks its last commits, so many requests. Returns what it has instead; -1 for none. */
  loseCommits(groupId: string, requests: number): readonly PartitionOffset[] {
    return this.#coordinators.lose(groupId, requests);
  }

  /** The group is forgotten, as one without members is after a week. */
  forgetGroup(groupId: string): void {
    this.#coordinators.delete(groupId);
  }

  /** By partition, in order: what is in the logs now. */
  records(topic: string): readonly (readonly RawRecord[])[] {
    return this.#brokers.topic(topic).partitions.map(({ log }) => log.records);
  }

  /** By partition: first offset that is there, next offset to be given. */
  bounds(topic: string): readonly { readonly low: number; readonly high: number }[] {
    return this.#brokers.topic(topic).partitions.map(({ log }) => ({ low: log.low, high: log.high }));
  }

  /** Every commit that was taken, in order. */
  get commits(): readonly Commit[] {
    return this.#commits;
  }

  /** By partition; one without a commit is not there, and one that was given up is below 0. */
  committed(groupId: string, topic: string): ReadonlyMap<number, number> {
    const committed = this.#coordinators.committed(groupId, topic);
    return new Map(Array.from(committed, ([partition, { offset }]) => [partition, offset]));
  }

  /** Ids of the groups that have been joined. */
  get groups(): readonly string[] {
    return [...this.#coordinators.groups.keys()];
  }

  members(groupId: string): readonly GroupMember[] {
    const { members } = this.#coordinators.groups.get(groupId) ?? {};
    return [...(members?.values() ?? [])].map(({ id, process, assignment }) => ({
      id,
      process,
      assigned: [...assignment.partitionsByTopic].flatMap(([topic, partitions]) =>
        partitions.map((partition) => ({ topic, partition })),
      ),
    }));
  }
}
