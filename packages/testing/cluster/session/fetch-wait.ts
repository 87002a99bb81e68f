import type { Timer } from "#host";
import type { TopicPartition } from "#kafka";
import type { ParkedFetch, Partition } from "../brokers.ts";
import type { Connection } from "../connection.ts";
import { ClusterError } from "../errors.ts";
import type { ReadRecords } from "../partition-log.ts";
import type { FetchPace } from "./fetch-pace.ts";

/** As the product's session has them: session.ts. */
const MAX_BYTES = { perPartition: 256 * 1024, total: 4 * 1024 * 1024 };
const REQUEST_TIMEOUT_MS = 15_000;

/** What is asked of one partition. */
export interface FetchedFrom extends TopicPartition {
  readonly offset: number;
}

/** What one partition's answer holds. */
export interface Fetched extends FetchedFrom, ReadRecords {}

/**
 * One fetch: it waits at its broker until one of its partitions has records, and then takes what is there. It costs an event when it is
 * answered and none while it waits; what it asked for was fixed when it began, however late the answer comes.
 */
export class FetchWait implements ParkedFetch {
  readonly #connection: Connection;
  readonly #broker: number;
  readonly #asked: readonly FetchedFrom[];
  readonly #pace: FetchPace;
  readonly #ended = Promise.withResolvers<readonly Fetched[]>();
  readonly #partitions: Partition[] = [];
  #answer: Timer | undefined;
  #answerAtMs = Number.POSITIVE_INFINITY;
  #stopWatching: () => void = () => undefined;
  #isLost = false;
  #isOver = false;
  /** How long the client's waits for records. */
  readonly maxWaitMs: number;
  /** Its end is planned. */
  isEnding = false;

  constructor(
    connection: Connection,
    broker: number,
    { asked, maxWaitMs, pace }: { asked: readonly FetchedFrom[]; maxWaitMs: number; pace: FetchPace },
  ) {
    this.maxWaitMs = maxWaitMs;
    this.#connection = connection;
    this.#broker = broker;
    this.#asked = asked;
    this.#pace = pace;
  }

  /** Resolves to what there is, to nothing when it is ended before, and rejects with the broker's refusal. */
  run(groupId: string): Promise<readonly Fetched[]> {
    if (this.#connection.isDead || this.#asked.length === 0) return this.#ended.promise;
    const unreachable = this.#connection.unreachable(this.#broker);
    if (unreachable !== undefined) {
      this.#connection.host.setTimeout(
        () => this.#ended.reject(ClusterError.unreachable(this.#broker)),
        unreachable.inMs,
      );
      return this.#ended.promise;
    }
    this.#stopWatching = this.#connection.watch({
      broker: this.#broker,
      fail: (error) => this.#fail(error),
      lose: () => this.#lose(),
    });
    const decision = this.#connection.decide({
      api: "fetch",
      broker: this.#broker,
      groupId,
      partitions: this.#asked,
    });
    if (decision.kind === "refuse")
      this.#failIn(ClusterError.refused(decision.error), this.#connection.latencyMs());
    else if (decision.kind === "lose_request" || decision.kind === "lose_answer")
      this.#loseFor(decision.noticedAfterMs ?? REQUEST_TIMEOUT_MS);
    if (decision.kind !== "refuse") this.#park(decision.kind === "delay" ? decision.requestMs : 0);
    return this.#ended.promise;
  }

  /** Ends it with nothing; false when it is on its way back, or lost. */
  end(): boolean {
    if (this.#answer !== undefined || this.#isLost) return false;
    this.#leave();
    this.#ended.resolve([]);
    return true;
  }

  /** Nobody waits for it any more, whether it will be answered or not. */
  abandon(): void {
    this.#answer?.clear();
    this.#leave();
    this.#ended.resolve([]);
  }

  notify(partition: Partition): void {
    const isUnhurried = this.#pace.isUnhurried(partition.topic);
    const nowMs = this.#connection.host.elapsed();
    const departsAtMs = Math.max(
      nowMs,
      this.#pace.notBeforeMs,
      isUnhurried ? this.#pace.unhurriedNotBeforeMs : 0,
    );
    const atMs = departsAtMs + this.#connection.latencyMs();
    if (this.#answer !== undefined && this.#answerAtMs <= atMs) return;
    this.#answer?.clear();
    this.#answerAtMs = atMs;
    this.#answer = this.#connection.host.setTimeout(() => this.#arrive(), atMs - nowMs);
  }

  /** There will be no answer; whoever keeps the connection says when that is noticed. */
  #lose(): void {
    this.#isLost = true;
    this.#answer?.clear();
    this.#leave();
  }

  #park(delayMs: number): void {
    if (this.#isOver || this.#isLost) return;
    if (delayMs > 0) {
      this.#connection.host.setTimeout(() => this.#park(0), delayMs);
      return;
    }
    for (const asked of this.#asked) {
      const partition = this.#connection.brokers.topics.get(asked.topic)?.partitions[asked.partition];
      if (partition === undefined) {
        this.#failIn(ClusterError.refused("UNKNOWN_TOPIC_OR_PARTITION"), this.#connection.latencyMs());
        return;
      }
      this.#partitions.push(partition);
      partition.parked.add(this);
      const { log, leader } = partition;
      if (leader !== this.#broker || asked.offset !== log.high) this.notify(partition);
    }
  }

  #arrive(): void {
    this.#leave();
    if (this.#connection.host.elapsed() > this.#answerAtMs + this.maxWaitMs) {
      // Its process was frozen: the client's had come back with nothing, and no other had been sent.
      this.#ended.resolve([]);
      return;
    }
    try {
      const fetched = this.#read();
      this.#pace.fetched(fetched, this.#connection.host.elapsed());
      this.#ended.resolve(fetched);
    } catch (thrown) {
      this.#ended.reject(thrown);
    }
  }

  #read(): Fetched[] {
    const withUnhurried = this.#pace.isUnhurriedDue(this.#connection.host.elapsed());
    const fetched: Fetched[] = [];
    let left = MAX_BYTES.total;
    for (const asked of this.#asked) {
      const { log } = this.#connection.brokers.led(asked, this.#broker);
      if (asked.offset < log.low || asked.offset > log.high)
        throw ClusterError.outOfRange(asked.topic, asked.partition);
      if (left <= 0 || (!withUnhurried && this.#pace.isUnhurried(asked.topic))) continue;
      const read = log.read(asked.offset, Math.min(left, MAX_BYTES.perPartition));
      if (read === undefined) continue;
      for (const { value } of read.records) left -= value?.length ?? 0;
      fetched.push({ ...asked, ...read });
    }
    return fetched;
  }

  #failIn(error: ClusterError, delayMs: number): void {
    this.#answer = this.#connection.host.setTimeout(() => this.#fail(error), delayMs);
    this.#answerAtMs = Number.NEGATIVE_INFINITY;
  }

  #fail(error: ClusterError): void {
    this.#answer?.clear();
    this.#leave();
    this.#ended.reject(error);
  }

  #loseFor(noticedAfterMs: number): void {
    this.#isLost = true;
    this.#failIn(ClusterError.timedOut("fetch"), noticedAfterMs);
  }

  #leave(): void {
    this.#isOver = true;
    this.#stopWatching();
    for (const { parked } of this.#partitions) parked.delete(this);
  }
}
