// A member of a consumer group, and the steps that it gives its records to.
import type { Hold, OutgoingRecord, Producer, RawRecord, Received, TopicPartition } from "./types.ts";

/** Ends a record. The runner writes what the record becomes and waits for Kafka, then marks the record done, then may commit its offset. */
export type Settle = (outcome: {
  readonly produce: readonly OutgoingRecord[];
  /** Written when all of `produce` is acknowledged: it says of that that it is there. */
  readonly produceAfter?: OutgoingRecord | undefined;
  /** Called once all of it is acknowledged, before the record is marked done. */
  readonly onDurable?: () => void;
  /**
   * Called instead when the partition was lost before Kafka had `produce`: the step gives its record back then, as it would have before. The
   * runner does unless given.
   */
  readonly giveBack?: (() => void) | undefined;
}) => void;

/** A member's hold on a partition's records. It begins when the member gets them and ends when the member loses the partition. */
export interface Ownership {
  /**
   * False: another member owns the partition or may own it by now, because the group's coordinator has not answered for too long or the
   * runner stops. A step then begins nothing for its records that others can see.
   */
  readonly isOurs: boolean;
}

/** A step's hold on its record. */
export interface Claim extends Ownership {
  /** Ends the step without an outcome, when the partition is no longer ours. Its owner then works on the record from the beginning. */
  giveBack(): void;
}

/** Takes a record and settles it or gives it back, exactly once, now or later. The fetch loop never waits for a step. */
export type Step<T> = (record: Received<T>, settle: Settle, claim: Claim) => void;

export interface RecordsLost extends TopicPartition {
  readonly records: number;
  /** Retention removed them before a reader had read them; or they were read, and the log has lost its end with them, and perhaps more behind it. */
  readonly kind: "unread" | "truncated";
}

/** The haste of a runner. Requests cost the less the more they carry. */
export interface Haste {
  /** The shortest time from one fetch that brought records to the next. */
  readonly fetchPauseMs: number;
  /** The shortest time between two commits: what is done and not committed is done again after a crash. */
  readonly commitAfterMs: number;
}

export interface Producers {
  readonly producer: Producer;
  /** Of `produceAfter`: nobody waits for it, so more of it may gather. `producer` unless given. */
  readonly producerAfter?: Producer;
}

export interface RunnerOptions<T> extends Producers {
  readonly groupId: string;
  readonly topics: readonly string[];
  /**
   * The topics among these whose records may come 0.2 s late. The runner asks for them less often, which
   * saves CPU time.
   */
  readonly unhurriedTopics?: readonly string[];
  /** Asked each time: it may change. 3 and 100 ms unless given. */
  haste?(): Haste;
  /** Returns a value when the writer's schema is known. A promise holds the partition back, for instance while the registry is away. */
  decode(record: RawRecord): T | Promise<T>;
  readonly step: Step<T>;
  /**
   * Turns an undecodable record, or one whose step threw three times, into records. The latter comes with its
   * decoded value.
   */
  deadLetter(record: RawRecord | Received<T>, error: Error): readonly OutgoingRecord[];
  /** Partitions are paused while this much is taken and not settled. */
  readonly maxOutstandingRecords: number;
  readonly maxOutstandingBytes: number;
  /**
   * A partition holds no more of these than so many that are settled and not written yet, so that where they cannot be written others go on. No
   * bound of its own unless given.
   */
  readonly maxUnwrittenRecords?: number;
  /** When the record may be stepped (Unix ms). Until then its partition is paused. Records of one partition must be in due order. */
  dueAtMs?(record: Received<T>): number;
  /** The runner awaits it before it steps the first record of newly assigned partitions. */
  onAssigned?(partitions: readonly TopicPartition[]): Promise<void>;
  /**
   * The runner awaits it after `onAssigned`, for each partition by itself, before it steps the partition's first record. A slow one
   * holds no other partition back. The runner calls it again when it rejects, and when a lost partition comes back. It should
   * resolve soon after `onRevoked`.
   */
  openPartition?(partition: TopicPartition): Promise<void>;
  onRevoked?(partitions: readonly TopicPartition[]): void;
  /** Called once for each stretch that is gone. The log has a line about it, too. */
  onRecordsLost?(lost: RecordsLost): void;
  /** The group takes the partitions of a member that says nothing for so long. 6 s by default, the broker's lower bound. */
  readonly sessionTimeoutMs?: number;
  /**
   * Session timeouts without an answer after which the partitions count as lost (`Ownership`); 1.5 by
   * default. With 1 nobody else has them before that, and a member that has left its group is not sure either
   * (decision 16); but the work stands still sooner while the coordinator is away.
   */
  readonly unsureAfterSessions?: number;
  /**
   * True: after a takeover everything from the group's commit on is stepped, also what was done behind an open record. For steps that count on
   * seeing again what came after a record that they hold. Unset, what is done is passed over, as its outcome is durable.
   */
  readonly stepsDoneAgain?: boolean;
  /**
   * True: members that read hear of a rebalance within half a second, at two heartbeats a second, so that records of a partition that moves wait
   * less. Unset: with their next heartbeat, within a third of the session timeout (decision 122).
   */
  readonly handsOverQuickly?: boolean;
  /** The time for which a rebalance waits for members to come back; 10 s by default. */
  readonly rebalanceTimeoutMs?: number;
  /**
   * A partition of which steps are under way moves to another member when they have ended, or so long after it should have. Unset: it moves at once,
   * and what is under way for more than a second is done twice.
   */
  readonly movesWithinMs?: number;
}

/**
 * What a part of a process does with its topics, where several parts share one group and one runner. Each has its own bounds: what is outstanding
 * in one holds back no other.
 */
export interface Share<T>
  extends Pick<
    RunnerOptions<T>,
    | "topics"
    | "decode"
    | "step"
    | "deadLetter"
    | "maxOutstandingRecords"
    | "maxOutstandingBytes"
    | "stepsDoneAgain"
    | "onAssigned"
    | "onRevoked"
    | "onRecordsLost"
  > {
  /** The longest that a stop waits for what is outstanding. */
  readonly finishMs: number;
}

export interface SharedRunnerOptions
  extends Pick<RunnerOptions<unknown>, "groupId" | "haste" | keyof Producers | "unsureAfterSessions"> {
  readonly shares: readonly Share<unknown>[];
  /**
   * By topic, the group in which an earlier version reads it. The runner joins when these groups have no member, and begins where they have come to
   * if that is further.
   */
  readonly formerGroups: ReadonlyMap<string, string>;
}

export interface Runner {
  /** Resolves when the group has been joined. */
  start(): Promise<void>;
  /** Stops intake, waits up to `graceMs` for outstanding records, commits, leaves the group. */
  stop(graceMs: number): Promise<void>;
  /** Rejects when the consumer is dead for good: the process should end. */
  readonly failed: Promise<never>;
  readonly assigned: readonly TopicPartition[];
  /** The group's own count of its hand-overs: who owned a partition before did so in a lower one, while the group is remembered. 0: not joined yet. */
  readonly generation: number;
  /**
   * First offset of an assigned partition that `step` did not get yet: of the record that waits, or of the next one to be fetched.
   * Undefined when the partition is not assigned, or nothing of it was fetched since its assignment.
   */
  position(partition: TopicPartition): number | undefined;
  /** An earlier owner has done the record, as the group's commit says: `step` does not get it. False also where that is not known yet. */
  wasDone(record: Pick<RawRecord, "topic" | "partition" | "offset" | "timestampMs">): boolean;
  /**
   * The caller begins to work on a record of the partition that `step` has not been given. A stop waits for it as for a step, and so does a hand-over of partitions. The
   * returned function says that the work has ended; it is called once, after `doneEarly` where that is called.
   */
  takenEarly(partition: TopicPartition): () => void;
  /**
   * Reports that the record's outcome is durable before `step` got it: `step` does not get it any more, and
   * commits mark it as done. Only for a record that `step` has not been given; without effect for a partition
   * that is not this member's.
   */
  doneEarly(record: Pick<RawRecord, "topic" | "partition" | "offset" | "timestampMs">): void;
  /** The hold on the partition in its present term. It ends when the partition is lost, and stays ended when the partition comes back. */
  ownership(partition: TopicPartition): Ownership & Hold;
  readonly outstanding: { readonly records: number; readonly bytes: number };
}
