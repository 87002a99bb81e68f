import { FETCH_PAUSE_MS } from "../fetch-pauses.ts";
import type { Haste, Ownership, RunnerOptions } from "../runner-types.ts";
import type { FetchedBatch, Join, SessionOptions } from "../session.ts";
import { keyOf } from "../topic-partition.ts";
import type { Hold, RawRecord, TopicPartition } from "../types.ts";
import { withinMs } from "../within.ts";
import { coPartitionedAssigner, decodeToRelease } from "./assigner-protocol.ts";
import { Committer } from "./committer.ts";
import { HandOver } from "./hand-over.ts";
import { LostRecords } from "./lost-records.ts";
import { Generations } from "./member-generations.ts";
import { Membership } from "./membership.ts";
import { PartitionReaders } from "./partition-readers.ts";
import { Release } from "./release.ts";
import { sessionTimes } from "./session-times.ts";
import { type ReaderShare, Shares } from "./shares.ts";
import { Supervisor, type SupervisorParts } from "./supervisor.ts";

/** A last commit that takes longer is given up: the next owner does that work again. As long as a join waits for a killed member. */
const LAST_COMMIT_WITHIN_MS = 8_000;

/** The usual haste: finished work is committed soon, and a new record is fetched soon. */
const USUAL_HASTE: Haste = { fetchPauseMs: FETCH_PAUSE_MS, commitAfterMs: 100 };

export interface GroupReaderOptions<T>
  extends Pick<
    RunnerOptions<T>,
    | "groupId"
    | "haste"
    | "sessionTimeoutMs"
    | "rebalanceTimeoutMs"
    | "unsureAfterSessions"
    | "unhurriedTopics"
    | "handsOverQuickly"
    | "movesWithinMs"
  > {
  readonly shares: readonly ReaderShare<T>[];
  /** Called when steps have not ended in time before a stop. Nothing of them is sent from now on: their next owner does all of it, and it would be twice. */
  giveUp(): void;
}

/** Reads topics as a member of a group: one reader for each partition, kept over rebalances; commits; hand-over of assignments. */
export class GroupReader<T> {
  readonly #parts: SupervisorParts;
  readonly #options: GroupReaderOptions<T>;
  readonly #shares: Shares<T>;
  readonly #partitionReaders: PartitionReaders<T>;
  readonly #supervisor: Supervisor;
  readonly #committer: Committer;
  readonly #handOver: HandOver;
  readonly #release: Release;
  readonly #lost: LostRecords;
  readonly #membership: Membership;
  readonly #haste: () => Haste;
  readonly #generations = new Generations();
  readonly #joined = Promise.withResolvers<void>();
  #isStopping = false;

  constructor(parts: SupervisorParts, options: GroupReaderOptions<T>) {
    const { host, logger } = parts;
    this.#parts = parts;
    this.#options = options;
    this.#haste = options.haste ?? (() => USUAL_HASTE);
    this.#membership = new Membership({ ...options, ...sessionTimes(options) }, host);
    this.#shares = new Shares(options.shares, parts);
    this.#partitionReaders = this.#newPartitionReaders();
    this.#supervisor = this.#newSupervisor();
    this.#committer = new Committer({
      logger,
      host,
      commitAfterMs: () => this.#haste().commitAfterMs,
      positions: () => this.#partitionReaders.positions(),
      isComplete: () => !this.#partitionReaders.awaitCommits,
      // A commit that is refused while the group waits for other members would count as a lasting failure.
      commit: async (positions) =>
        !this.#handOver.isJoining && ((await this.#supervisor.session?.commit(positions)) ?? false),
      onCommitted: () => {
        this.#partitionReaders.committed();
        this.#release.settled();
      },
      onStuck: () => this.#supervisor.session?.rejoin(),
      onStuckAgain: () => this.#supervisor.renew("offsets cannot be committed"),
    });
    this.#handOver = new HandOver({
      capacity: this.#shares,
      committer: this.#committer,
      host,
      keepsBusy: options.movesWithinMs !== undefined,
    });
    this.#release = new Release({
      host,
      withinMs: options.movesWithinMs,
      busy: () => this.#partitionReaders.busy,
      onReady: () => this.#supervisor.session?.rejoin(),
    });
    this.#lost = new LostRecords({
      logger,
      placeOf: (partition) => this.#partitionReaders.at(partition),
      onMoved: () => this.#committer.notice(),
      onLost: (lost) => this.#shares.lost(lost),
    });
  }

  get failed(): Promise<never> {
    return this.#supervisor.failed;
  }

  get assigned(): readonly TopicPartition[] {
    return this.#partitionReaders.assigned;
  }

  get outstanding(): { readonly records: number; readonly bytes: number } {
    return this.#shares.outstanding;
  }

  position(partition: TopicPartition): number | undefined {
    return this.#partitionReaders.at(partition)?.position;
  }

  wasDone(record: Pick<RawRecord, "topic" | "partition" | "offset" | "timestampMs">): boolean {
    return this.#partitionReaders.at(record)?.place.wasDone(record) ?? false;
  }

  takenEarly(partition: TopicPartition): () => void {
    const reader = this.#partitionReaders.at(partition);
    return reader?.underWay.early() ?? this.#shares.of(partition).capacity.early();
  }

  doneEarly(record: Pick<RawRecord, "topic" | "partition" | "offset" | "timestampMs">): void {
    this.#partitionReaders.at(record)?.place.doneEarly(record);
    this.#committer.notice();
  }

  get generation(): number {
    return this.#generations.current ?? 0;
  }

  ownership(partition: TopicPartition): Ownership & Hold {
    return this.#partitionReaders.ownership(partition);
  }

  /** Resolves when the group has been joined; rejects when that can never be. */
  async start(): Promise<void> {
    this.#supervisor.start();
    await Promise.race([this.#joined.promise, this.failed]);
  }

  /** Stops intake, waits up to `graceMs` for what is outstanding, commits, gives up the writing of what is left, leaves the group. */
  async stop(graceMs: number): Promise<void> {
    const { host } = this.#parts;
    this.#isStopping = true;
    this.#release.end();
    this.#partitionReaders.close();
    for (const partition of this.assigned) this.#supervisor.session?.setPaused(partition, true);
    await this.#shares.finished(graceMs);
    await withinMs(this.#committer.commitLast(LAST_COMMIT_WITHIN_MS), LAST_COMMIT_WITHIN_MS, host);
    if (this.outstanding.records > 0) this.#options.giveUp();
    await this.#supervisor.stop();
    this.#revoke(this.assigned);
    this.#partitionReaders.assign([]);
  }

  #newPartitionReaders(): PartitionReaders<T> {
    return new PartitionReaders<T>({
      shareOf: (partition) => this.#shares.of(partition),
      logger: this.#parts.logger,
      host: this.#parts.host,
      setPaused: (partition, paused) => this.#supervisor.session?.setPaused(partition, paused),
      mayBegin: (partition) => this.#mayBegin(partition),
      isSure: () => this.#membership.isSure,
      onSettled: () => {
        this.#committer.notice();
        this.#release.settled();
      },
    });
  }

  #newSupervisor(): Supervisor {
    return new Supervisor(this.#parts, this.#sessionOptions(), {
      onJoin: (join) => this.#join(join),
      onAnswered: (askedAtMs) => this.#membership.answered(askedAtMs),
      onLeft: () => this.#membership.left(),
      onRebalancing: () => this.#handOver.begin(),
      onJoinFailed: () => this.#handOver.end(),
      onBatch: (batch) => this.#take(batch),
      onCommitsRead: (commits) => this.#partitionReaders.learn(commits),
      onRecordsGone: (gone) => this.#lost.gone(gone),
      onLogCut: (cut) => this.#lost.cut(cut),
    });
  }

  #sessionOptions(): SessionOptions {
    const { groupId, unhurriedTopics } = this.#options;
    return {
      groupId,
      topics: this.#shares.topics,
      unhurriedTopics,
      fetchPauseMs: () => this.#haste().fetchPauseMs,
      ...sessionTimes(this.#options),
      assigner: coPartitionedAssigner(() => ({ ...this.#generations.assignment, busy: this.#release.busy })),
    };
  }

  /** A new generation. The client has forgotten every position and pause; the partition readers have not. */
  #join(join: Join): void {
    const { assigned } = join;
    // A partition reader goes on at its own place, not at the last commit, where no other member can have read since.
    const keepsPlaces = this.#generations.begin(join, this.#parts.host.now());
    const before = new Set(keepsPlaces ? this.assigned.map(keyOf) : []);
    const now = new Set(keepsPlaces ? assigned.map(keyOf) : []);
    this.#handOver.end();
    this.#revoke(this.assigned.filter((partition) => !now.has(keyOf(partition))));
    this.#partitionReaders.assign(assigned);
    this.#committer.forget();
    if (!this.#isStopping) this.#release.begin(decodeToRelease(join.userData));
    for (const partition of assigned) this.#resume(partition, before.has(keyOf(partition)));
    const added = assigned.filter((partition) => !before.has(keyOf(partition)));
    // Stepping of new partitions begins when their owner is ready for them.
    this.#shares.open(added.flatMap((partition) => this.#partitionReaders.at(partition)?.opening() ?? []));
    this.#joined.resolve();
  }

  #resume(partition: TopicPartition, wasOurs: boolean): void {
    const partitionReader = this.#partitionReaders.at(partition);
    if (partitionReader === undefined) return;
    const { session } = this.#supervisor;
    session?.setPaused(partition, partitionReader.isPaused || this.#isStopping);
    // No batch has come since the partition was lost: where the group stands is not known, so nothing is committed.
    const { isKnown, next } = partitionReader.place;
    if (!(wasOurs && isKnown)) partitionReader.ownAnew();
    else if (next !== undefined) session?.seek({ ...partition, offset: next });
  }

  #revoke(partitions: readonly TopicPartition[]): void {
    if (partitions.length === 0) return;
    this.#partitionReaders.drop(partitions);
    this.#shares.revoked(partitions);
  }

  #mayBegin({ partition }: TopicPartition): boolean {
    if (this.#isStopping || this.#release.isWanted(partition)) return false;
    return this.#membership.isSure && !this.#handOver.isUnderWay;
  }

  #take(batch: FetchedBatch): void {
    // Fetched before a join: it shows where the reading stood then, and perhaps another's partition.
    if (this.#isStopping || batch.generation !== this.#generations.current) return;
    this.#partitionReaders.at(batch)?.offer(batch);
  }
}
