import type { Host } from "#host";
import { coPartitionedAssigner, type LastAssignment } from "./assigner-protocol.ts";
import { Capacity } from "./capacity.ts";
import { Committer } from "./committer.ts";
import { Lane, type LaneParts, type Work } from "./lane.ts";
import { Membership } from "./membership.ts";
import { openAll } from "./opening.ts";
import type { FetchedBatch, Join, NewSession, PartitionOffset, SessionOptions } from "./session.ts";
import { Supervisor } from "./supervisor.ts";
import { keyOf } from "./topic-partition.ts";
import type { KafkaLogger, Ownership, RunnerOptions, TopicPartition } from "./types.ts";
import { withinMs } from "./within.ts";

/** Chosen so that a killed member's partitions move within 8 s: the session's end, and a rebalance that nobody delays. */
const DEFAULTS = { sessionTimeoutMs: 6_000, rebalanceTimeoutMs: 10_000 };

/** Short beside the session timeout: heartbeats come from the loop that fetches. */
const MAX_WAIT_FOR_LANE_MS = 1_000;

const NOBODYS: Ownership = { isOurs: false };

export interface GroupReaderOptions<T>
  extends Pick<
    RunnerOptions<T>,
    | "groupId"
    | "topics"
    | "maxOutstandingRecords"
    | "maxOutstandingBytes"
    | "onAssigned"
    | "openPartition"
    | "onRevoked"
  > {
  readonly work: Work<T>;
  /** False reads everything anew at each start, and keeps its place over rebalances only. */
  readonly commits: boolean;
  readonly sessionTimeoutMs?: number | undefined;
  readonly rebalanceTimeoutMs?: number | undefined;
  readonly unhurriedTopics?: readonly string[] | undefined;
}

export interface GroupReaderParts {
  readonly newSession: NewSession;
  readonly logger: KafkaLogger;
  readonly host: Host;
}

/** Reads topics as a member of a group: lanes per partition, kept over rebalances; commits; hand-over of assignments. */
export class GroupReader<T> {
  readonly #parts: GroupReaderParts;
  readonly #options: GroupReaderOptions<T>;
  readonly #capacity: Capacity;
  readonly #supervisor: Supervisor;
  readonly #committer: Committer;
  readonly #laneParts: LaneParts<T>;
  /** Also of partitions that are somebody else's now, for as long as records of theirs are outstanding. */
  readonly #lanes = new Map<string, Lane<T>>();
  #assigned: readonly TopicPartition[] = [];
  #lastAssignment: LastAssignment = { partitions: [], assignedAtMs: 0 };
  #memberId: string | undefined;
  readonly #membership: Membership;
  readonly #joined = Promise.withResolvers<void>();
  #isStopping = false;
  #onIdle: (() => void) | undefined;

  constructor(parts: GroupReaderParts, options: GroupReaderOptions<T>) {
    this.#parts = parts;
    this.#options = options;
    this.#membership = new Membership(options.sessionTimeoutMs ?? DEFAULTS.sessionTimeoutMs, parts.host);
    this.#capacity = new Capacity(options.maxOutstandingRecords, options.maxOutstandingBytes, parts.host);
    this.#laneParts = {
      work: options.work,
      capacity: this.#capacity,
      logger: parts.logger,
      host: parts.host,
      setPaused: (partition, paused) => this.#supervisor.session?.setPaused(partition, paused),
      isMember: () => this.#isMember(),
      onSettled: () => this.#settled(),
    };
    this.#supervisor = new Supervisor(parts, this.#sessionOptions(), {
      onJoin: (join) => this.#join(join),
      onAnswered: (askedAtMs) => this.#membership.answered(askedAtMs),
      onRebalancing: () => void this.#committer.commit(),
      onBatch: (batch) => this.#take(batch),
    });
    this.#committer = new Committer({
      logger: parts.logger,
      host: parts.host,
      positions: () => (options.commits ? this.#positions() : []),
      commit: async (positions) => this.#supervisor.session?.commit(positions),
      onStuck: () => this.#supervisor.renew("offsets cannot be committed"),
    });
  }

  get failed(): Promise<never> {
    return this.#supervisor.failed;
  }

  get assigned(): readonly TopicPartition[] {
    return this.#assigned;
  }

  get outstanding(): { readonly records: number; readonly bytes: number } {
    return this.#capacity.outstanding;
  }

  position(partition: TopicPartition): number | undefined {
    const isOurs = this.#stillOurs([partition]).length > 0;
    return isOurs ? this.#lanes.get(keyOf(partition))?.position : undefined;
  }

  ownership(partition: TopicPartition): Ownership {
    const isAssigned = this.#stillOurs([partition]).length > 0;
    return (isAssigned ? this.#lanes.get(keyOf(partition))?.ownership() : undefined) ?? NOBODYS;
  }

  /** Resolves when the group has been joined; rejects when that can never be. */
  async start(): Promise<void> {
    this.#supervisor.start();
    this.#committer.start();
    await Promise.race([this.#joined.promise, this.failed]);
  }

  /** Stops intake, waits up to `graceMs` for what is outstanding, commits, leaves the group. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    for (const lane of this.#lanes.values()) lane.close();
    for (const partition of this.#assigned) this.#supervisor.session?.setPaused(partition, true);
    await this.#idle(graceMs);
    this.#committer.stop();
    await this.#committer.commit();
    await this.#supervisor.stop();
    this.#revoke(this.#assigned);
    this.#assigned = [];
  }

  #sessionOptions(): SessionOptions {
    const { groupId, topics, unhurriedTopics, sessionTimeoutMs, rebalanceTimeoutMs } = this.#options;
    return {
      groupId,
      topics,
      unhurriedTopics,
      sessionTimeoutMs: sessionTimeoutMs ?? DEFAULTS.sessionTimeoutMs,
      rebalanceTimeoutMs: rebalanceTimeoutMs ?? DEFAULTS.rebalanceTimeoutMs,
      assigner: coPartitionedAssigner(() => this.#lastAssignment),
    };
  }

  /** A new generation. The client has forgotten every position and pause; the lanes have not. */
  #join({ memberId, assigned }: Join): void {
    // Where nobody else can have read since, a lane goes on at its own place instead of at the last commit.
    const keepsPlaces = !this.#options.commits || memberId === this.#memberId;
    const before = new Set(keepsPlaces ? this.#assigned.map(keyOf) : []);
    const now = new Set(keepsPlaces ? assigned.map(keyOf) : []);
    this.#memberId = memberId;
    this.#committer.forget();
    this.#revoke(this.#assigned.filter((partition) => !now.has(keyOf(partition))));
    this.#assigned = assigned;
    this.#lastAssignment = {
      partitions: [...new Set(assigned.map(({ partition }) => partition))],
      assignedAtMs: this.#parts.host.now(),
    };
    const added = assigned.filter((partition) => !before.has(keyOf(partition)));
    for (const partition of assigned) {
      this.#resume(partition, !this.#options.commits || before.has(keyOf(partition)));
    }
    this.#open(added);
    this.#joined.resolve();
  }

  #resume(partition: TopicPartition, keepsPlace: boolean): void {
    const lane = this.#lane(partition);
    const { session } = this.#supervisor;
    session?.setPaused(partition, lane.isPaused || this.#isStopping);
    if (!keepsPlace) lane.ownAnew();
    else if (lane.next !== undefined) session?.seek({ ...partition, offset: lane.next });
  }

  #lane(partition: TopicPartition): Lane<T> {
    const key = keyOf(partition);
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new Lane(partition, this.#laneParts);
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** Stepping of new partitions begins when their owner is ready for them. */
  #open(partitions: readonly TopicPartition[]): void {
    const { onAssigned, openPartition } = this.#options;
    const openings = partitions.map((partition) => this.#lane(partition).opening());
    void openAll(openings, { ...this.#parts, onAssigned, openPartition });
  }

  #stillOurs(partitions: readonly TopicPartition[]): TopicPartition[] {
    const ours = new Set(this.#assigned.map(keyOf));
    return partitions.filter((partition) => ours.has(keyOf(partition)));
  }

  #revoke(partitions: readonly TopicPartition[]): void {
    if (partitions.length === 0) return;
    for (const partition of partitions) {
      const lane = this.#lane(partition);
      lane.drop();
      if (lane.outstanding === 0) this.#lanes.delete(keyOf(partition));
    }
    this.#options.onRevoked?.(partitions);
  }

  /** Who commits nothing shares nothing with another member. */
  #isMember(): boolean {
    return !this.#isStopping && (!this.#options.commits || this.#membership.isSure);
  }

  #take(batch: FetchedBatch): void | Promise<void> {
    if (this.#isStopping) return;
    const lane = this.#lanes.get(keyOf(batch));
    lane?.offer(batch);
    // Who reads all at once for nobody else has the next fetch wait: one that leaves the partition out takes its longest time.
    if (!this.#options.commits && lane?.isPaused === true)
      return withinMs(lane.resumed(), MAX_WAIT_FOR_LANE_MS, this.#parts.host);
  }

  #positions(): PartitionOffset[] {
    return this.#assigned.flatMap((partition) => {
      const offset = this.#lanes.get(keyOf(partition))?.committable;
      return offset === undefined ? [] : [{ ...partition, offset }];
    });
  }

  #settled(): void {
    if (this.#capacity.outstanding.records === 0) this.#onIdle?.();
  }

  async #idle(graceMs: number): Promise<void> {
    if (this.#capacity.outstanding.records === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onIdle = resolve;
    const timer = this.#parts.host.setTimeout(resolve, graceMs);
    await promise;
    timer.clear();
  }
}
