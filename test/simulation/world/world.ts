import {
  createKafkaOn,
  decodeDoneAhead,
  type Kafka,
  type KafkaDependencies,
  type KafkaSettings,
} from "#kafka";
import type { Logger } from "#runtime";
import { createSerde, type Serde, type SerdeOptions } from "#serde";
import { Endpoints, Random, SimulatedCluster, SimulatedDisk, SimulatedRegistry } from "#testing";
import { VirtualHost, VirtualTime } from "#testing/host";
import { allTopics, type TopicMap, topicMap } from "#topics";
import type { Plan } from "../plan/plan.ts";
import { SOURCE_ID } from "./clients.ts";
import { History } from "./history.ts";
import { SimulatedIndexDisk } from "./index-disk.ts";
import { LogBook } from "./log-book.ts";
import { PlannedFaults } from "./requests.ts";
import { Trace } from "./trace.ts";

const KEPT_TRACE_LINES = 4_000;

/** What all processes of a run share: the clock, the cluster, the registry, the endpoints; and who watches them. */
export class World {
  readonly plan: Plan;
  readonly time = new VirtualTime();
  readonly random: Random;
  readonly topics: TopicMap;
  readonly history = new History();
  readonly trace: Trace;
  readonly logs: LogBook;
  readonly registry: SimulatedRegistry;
  readonly requestFaults: PlannedFaults;
  readonly cluster: SimulatedCluster;
  readonly endpoints: Endpoints;
  readonly #disks = new Map<string, SimulatedDisk>();
  readonly #indexDisks = new Map<string, SimulatedIndexDisk>();

  constructor(plan: Plan, keptTraceLines: number = KEPT_TRACE_LINES) {
    this.plan = plan;
    this.random = new Random(plan.seed).split("run");
    this.topics = topicMap({ prefix: "", retryDelaysMs: plan.timing.retryDelaysMs });
    this.trace = new Trace(() => this.time.nowMs, keptTraceLines);
    this.logs = new LogBook(
      () => this.time.nowMs,
      ({ level, message, process }) => this.trace.add(process, `${level}: ${message}`),
    );
    this.registry = new SimulatedRegistry(this.random.split("registry"));
    this.requestFaults = new PlannedFaults(this.random.split("requests"), (process, feltAfterMs) =>
      this.time.after(feltAfterMs, () => this.disturb(process, "requests")),
    );
    this.cluster = this.#newCluster();
    this.endpoints = this.#newEndpoints();
  }

  /** A machine for a process, or for who watches. */
  host(name: string, skewMs = 0): VirtualHost {
    return new VirtualHost({ time: this.time, random: this.random.split(`host ${name}`), skewMs });
  }

  /** Of the machine that this process runs on, whenever it is started again. */
  disk(process: string): SimulatedDisk {
    const known =
      this.#disks.get(process) ?? new SimulatedDisk(this.time, this.random.split(`disk ${process}`));
    this.#disks.set(process, known);
    return known;
  }

  /** Of the same machine, for what control keeps on it. */
  indexDisk(process: string): SimulatedIndexDisk {
    const known = this.#indexDisks.get(process) ?? new SimulatedIndexDisk();
    this.#indexDisks.set(process, known);
    return known;
  }

  loseDisk(process: string): void {
    this.#disks.delete(process);
    this.#indexDisks.delete(process);
  }

  /** Gives back what is not in the heap. */
  end(): void {
    for (const disk of this.#indexDisks.values()) disk.end();
  }

  /** What a process reaches the cluster and the registry by. */
  ways(process: string, host: VirtualHost) {
    return {
      createKafka: (_: KafkaSettings, { logger }: KafkaDependencies = {}): Kafka =>
        createKafkaOn(this.cluster.clusterFor(process, host), {
          host,
          logger: logger ?? this.logs.logger(process),
        }),
      createSerde: (options: SerdeOptions) =>
        createSerde({ ...options, host, registry: this.registry.forProcess(host) }),
    };
  }

  /** What somebody who looks on reaches the cluster by: the world goes on as if nobody did, and no process has said what is logged. */
  watcherKafka(name: string, host: VirtualHost): { readonly kafka: Kafka; readonly logger: Logger } {
    const logs = new LogBook(
      () => this.time.nowMs,
      ({ message }) => this.trace.add(name, message),
    );
    const logger = logs.logger(name);
    return { kafka: createKafkaOn(this.cluster.clusterForWatcher(name, host), { host, logger }), logger };
  }

  /** What records are read with from outside of all processes. */
  readerSerde(): Serde {
    const registry = this.registry.forReader();
    return createSerde({ registryUrl: "http://simulated", topics: allTopics(this.topics), registry });
  }

  /** Something may cost the process what it has not committed. */
  disturb(process: string, by: string): void {
    this.history.add({ kind: "disturbed", atMs: this.time.nowMs, process, by });
  }

  /** Retention has come so far, in each partition of the topic. */
  removeRecords(topic: string, keptRecords: number): void {
    for (const [partition, { low, high }] of this.cluster.bounds(topic).entries()) {
      const below = high - keptRecords;
      if (below <= low) continue;
      const place = { topic, partition };
      this.trace.add("cluster", `${topic}-${partition} begins at ${below}`);
      this.cluster.removeBefore(place, below);
      this.history.add({ kind: "removed", atMs: this.time.nowMs, partition: place, below });
    }
  }

  /** Each partition of the topic gets a leader that lacks so many records, and what was written together with the first of them. */
  electUncleanly(topic: string, lostRecords: number): void {
    for (const [partition, { low, high }] of this.cluster.bounds(topic).entries()) {
      const place = { topic, partition };
      this.cluster.electUncleanly(place, Math.max(low, high - lostRecords));
      const fromOffset = this.cluster.bounds(topic)[partition]?.high ?? high;
      if (fromOffset === high) continue;
      this.trace.add("cluster", `${topic}-${partition} loses ${fromOffset} to ${high - 1}`);
      this.history.add({ kind: "cut", atMs: this.time.nowMs, partition: place, fromOffset, toOffset: high });
    }
  }

  /** The group's next coordinator lacks its last commits, so many requests. */
  loseCommits(groupId: string, requests: number): void {
    for (const { offset, ...partition } of this.cluster.loseCommits(groupId, requests)) {
      this.trace.add("cluster", `${partition.topic}-${partition.partition} is committed to ${offset} again`);
      this.history.add({ kind: "commits_lost", atMs: this.time.nowMs, groupId, partition, offset });
    }
  }

  #newCluster(): SimulatedCluster {
    const random = this.random.split("cluster");
    const { brokers, partitions } = this.plan;
    const cluster = new SimulatedCluster({
      host: this.host("cluster"),
      random: () => random.next(),
      brokers,
      faults: this.requestFaults,
      onEvent: (what) => this.#clusterSays(what),
      onAppend: (record, process) => {
        this.trace.add(process, `writes ${record.topic}-${record.partition}-${record.offset}`);
        this.history.add({ kind: "appended", atMs: this.time.nowMs, record, process });
      },
      onCommit: ({ groupId, metadata = "", offset, partition, process, topic }) => {
        const ahead = decodeDoneAhead(metadata, offset)?.runs ?? [];
        const beyond = ahead.map(({ from, to }) => ` ${from}-${to - 1}`).join("");
        this.trace.add(process, `commits ${offset}${beyond} of ${topic}-${partition} for ${groupId}`);
        const place = { topic, partition };
        this.history.add({
          kind: "committed",
          atMs: this.time.nowMs,
          groupId,
          partition: place,
          offset,
          ahead,
          process,
        });
      },
    });
    cluster.createTopics(allTopics(this.topics), partitions);
    // The clients' source was made long ago, and nobody reads it: without any record of it the calls would show that it was lost.
    const past = { key: SOURCE_ID, value: null };
    cluster.begin({ topic: this.topics.sourceConfig.name, partition: 0 }, [past]);
    return cluster;
  }

  #clusterSays(what: string): void {
    this.trace.add("cluster", what);
    const [groupId] = what.split(" ");
    for (const { name, service } of this.plan.processes) {
      const isOfGroup = groupId === service;
      if (isOfGroup) this.disturb(name, "rebalance");
      // A member is called after its process and its group.
      if (isOfGroup && what.startsWith(`${groupId} ${name}-${groupId}-`) && what.endsWith(" is missed"))
        this.history.add({ kind: "missed", atMs: this.time.nowMs, process: name });
    }
  }

  #newEndpoints(): Endpoints {
    return new Endpoints({
      time: this.time,
      random: this.random.split("endpoints"),
      scripts: this.plan.scripts,
      onAnswer: (request) => {
        this.trace.add(request.url, `${request.status} to ${request.messageId} of ${request.process}`);
        this.history.add({ kind: "answered", atMs: this.time.nowMs, request });
      },
    });
  }
}
