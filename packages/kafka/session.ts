import type { KafkaError } from "./errors.ts";
import type { RawRecord, TopicPartition } from "./types.ts";

/** A member as the group's leader sees it. */
export interface JoinedMember {
  readonly id: string;
  /** Topics that the member reads: members of two versions may read different ones. */
  readonly topics: readonly string[];
  /** The user data that its assigner sent at its join. */
  readonly userData: Buffer;
}

/** The leader's answer to a member. */
export interface MemberAssignment {
  readonly partitionsByTopic: ReadonlyMap<string, readonly number[]>;
  /** The user data that the leader's assigner sends to the member's. */
  readonly userData: Buffer;
}

/** Assignments by member. */
export type GroupAssignment = ReadonlyMap<string, MemberAssignment>;

/** The way the members of a group share its partitions. */
export interface GroupAssigner {
  /** Asked at every join, when `onRebalancing` has resolved: what the group's leader shall know of this member. */
  userData(): Buffer;
  /** Run by the group's leader; the counts of partitions are by topic, of all that any member reads. */
  assign(members: readonly JoinedMember[], partitionCounts: ReadonlyMap<string, number>): GroupAssignment;
}

export interface SessionOptions {
  readonly groupId: string;
  readonly topics: readonly string[];
  readonly unhurriedTopics?: readonly string[] | undefined;
  /** The shortest time from one answer with records to the next fetch. */
  fetchPauseMs(): number;
  readonly sessionTimeoutMs: number;
  /** Interval of the heartbeats, by which the member also learns of a rebalance. */
  readonly heartbeatMs: number;
  /** The same while nothing was read for some seconds; unset, as ever. */
  readonly quietHeartbeatMs?: number | undefined;
  readonly rebalanceTimeoutMs: number;
  readonly assigner: GroupAssigner;
  /** The member that a lost session was, to come back as. */
  readonly rejoinAs?: string | undefined;
}

export interface Join {
  readonly memberId: string;
  /** The group's own count. A number that was passed over is a generation in which others may have had the partitions. */
  readonly generation: number;
  readonly assigned: readonly TopicPartition[];
  /** The user data of the member's assignment. */
  readonly userData: Buffer;
}

export interface FetchedBatch extends TopicPartition {
  /** The generation in which it was asked for; a batch may arrive when that is over. */
  readonly generation: number;
  readonly records: readonly RawRecord[];
  /**
   * The offset at which the next fetch goes on: behind the last record, also when records between were
   * removed.
   */
  readonly nextOffset: number;
}

/** Records that were removed before they were read: from the first to the one that is still there, exclusive. */
export interface RecordsGone extends TopicPartition {
  readonly fromOffset: number;
  readonly toOffset: number;
}

/** A log that ends before the place where reading was to go on: brokers have lost its end, or its topic was created again. */
export interface LogCut extends TopicPartition {
  readonly fromOffset: number;
  /** The ends of the log as it is now: its first record, and the offset behind its last one. */
  readonly startOffset: number;
  readonly endOffset: number;
}

/** All are called synchronously by the client's loop; `onJoin` before the first fetch of the new generation. */
export interface SessionHandlers {
  onJoin(join: Join): void;
  /** The group's coordinator has answered that this is a member of it; it was asked at this time, Unix ms. */
  onAnswered(askedAtMs: number): void;
  /** The session is about to ask to join, also for the first time. Until the promise resolves it does not, and commits are accepted. */
  onRebalancing(): Promise<void>;
  /** The coordinator has refused the join or not answered; nothing has moved, and the session will ask again. */
  onJoinFailed(): void;
  /** A promise holds up reading and heartbeats: the group misses a member that does not come back from a batch. */
  onBatch(batch: FetchedBatch): void | Promise<void>;
  /**
   * Called with the commits where the reading of these partitions begins, before their first batch. A
   * negative offset stands for no commit.
   */
  onCommitsRead(commits: readonly CommittedOffset[]): void;
  /** Retention was faster than the reading. */
  onRecordsGone(gone: RecordsGone): void;
  /** Returns the time (Kafka's, Unix ms) from which on records are to be read; undefined for all that the log has. */
  onLogCut(cut: LogCut): number | undefined;
  /** The session is over. */
  onCrash(error: KafkaError): void;
}

export interface PartitionOffset extends TopicPartition {
  readonly offset: number;
}

/** A group's commit in a partition. */
export interface CommittedOffset extends PartitionOffset {
  /** Any text that is kept beside the offset. */
  readonly metadata?: string | undefined;
}

/** One membership in a consumer group, until it crashes or is stopped. */
export interface Session {
  /** Resolves when the group was joined, or when the consumer crashed trying (`onCrash` was called). */
  open(): Promise<void>;
  setPaused(partition: TopicPartition, paused: boolean): void;
  /** Moves the reading, from the next fetch on. */
  seek(position: PartitionOffset): void;
  /** One try, in the current generation; rejects with a KafkaError. False when there is none yet: nothing was sent. */
  commit(positions: readonly CommittedOffset[]): Promise<boolean>;
  /** Has the member join again, soon: it has something new to tell the group's leader. */
  rejoin(): void;
  /** When the loop last went round, in the host's elapsed milliseconds: somebody may set the clock of the day. */
  readonly lastActiveElapsedMs: number;
  /** Leaves the group. */
  stop(): Promise<void>;
}

export type NewSession = (options: SessionOptions, handlers: SessionHandlers) => Session;
