import type { Host } from "#host";
import { backoffMs, isWorthLogging } from "../backoff.ts";
import { fromClientError, KafkaError } from "../errors.ts";
import type { Shutdown } from "../shutdown.ts";
import type { FollowedTopic, Following, KafkaLogger } from "../types.ts";
import type { BrokerPoll } from "./broker-poll.ts";
import { FollowedPartition } from "./followed-partition.ts";

const LOCATE_AGAIN_MS = { first: 50, max: 1_000 };
/** Tries for errors that the client calls final: they are seen while brokers come and go. */
const FINAL_AFTER_FAILURES = 5;
const NOBODY = -1;

export interface TopicFollowingParts {
  /** Broker ids by partition; -1 where nobody leads. */
  leaders(topic: string): Promise<readonly number[]>;
  /** The leaders are learned again. */
  renew(): Promise<void>;
  pollOf(broker: number): BrokerPoll;
  readonly ending: Shutdown;
  /** Topics of a broker that is away fail alike: one of them says it. */
  readonly isNew: (line: string) => boolean;
  readonly logger: KafkaLogger;
  readonly host: Host;
}

/** One topic that is followed: brings each of its partitions to the poll of its leader, and again when that one does not lead it any more. */
export class TopicFollowing implements Following {
  readonly #followed: FollowedTopic;
  readonly #parts: TopicFollowingParts;
  readonly #partitions = new Map<number, FollowedPartition>();
  readonly #failed = Promise.withResolvers<never>();
  /** Failures in a row. */
  #failures = 0;
  #isLocating = false;
  #isOver = false;

  constructor(followed: FollowedTopic, parts: TopicFollowingParts) {
    this.#followed = followed;
    this.#parts = parts;
    // A caller that does not await it must not be ended by an unhandled rejection.
    this.#failed.promise.catch(() => undefined);
  }

  get failed(): Promise<never> {
    return this.#failed.promise;
  }

  begin(): void {
    if (!this.#isLocating) void this.#locate();
  }

  close(): void {
    this.#isOver = true;
    for (const partition of this.#partitions.values()) partition.end();
  }

  /** Tries until each partition is read from some broker. */
  async #locate(): Promise<void> {
    const { ending } = this.#parts;
    this.#isLocating = true;
    let isPlaced = false;
    while (!isPlaced && !this.#isOver && ending.why === undefined) {
      if (this.#failures > 0) await this.#renew();
      const isKnown = await this.#placeAll();
      // One of them may have been lost again meanwhile.
      isPlaced = isKnown && [...this.#partitions.values()].every(({ isRead }) => isRead);
    }
    this.#isLocating = false;
  }

  async #renew(): Promise<void> {
    const { ending, host, renew } = this.#parts;
    // The end of everything may come meanwhile.
    await ending.pause(backoffMs(this.#failures, LOCATE_AGAIN_MS, host)).catch(() => undefined);
    await ending.or(renew()).catch(() => undefined);
  }

  /** Whether every partition has a leader, also one that the topic had before it was created again. */
  async #placeAll(): Promise<boolean> {
    const { ending, leaders } = this.#parts;
    const { topic } = this.#followed;
    try {
      const found = await ending.or(leaders(topic));
      if (this.#isOver) return true;
      for (const [partition, leader] of found.entries())
        if (this.#takes(partition)) this.#place(partition, leader);
      const isWhole = found.length > 0 && !found.includes(NOBODY);
      if (isWhole && Math.max(...this.#partitions.keys()) < found.length) return true;
      const problem = isWhole ? `no partition ${found.length} any more` : "a partition without a leader";
      throw new KafkaError("unavailable", `${topic} has ${problem}`, { canRetry: true });
    } catch (thrown) {
      if (ending.why === undefined) this.#failedBy(fromClientError(thrown));
      return false;
    }
  }

  #takes(partition: number): boolean {
    return this.#followed.takes?.(partition) ?? true;
  }

  #place(number: number, leader: number): void {
    const partition = this.#partitions.get(number) ?? new FollowedPartition(this.#followed, number);
    this.#partitions.set(number, partition);
    if (leader === NOBODY || partition.isRead) return;
    this.#parts.pollOf(leader).add(partition, (error) => this.#lost(partition, error));
  }

  /** Its leader does not read it any more. */
  #lost(partition: FollowedPartition, error: KafkaError): void {
    if (this.#isOver || this.#parts.ending.why !== undefined) return;
    if (partition.hasAnswered) this.#failures = 0;
    if (!this.#isLocating) {
      this.#failedBy(error);
      this.begin();
    }
  }

  #failedBy(error: KafkaError): void {
    const { topic } = this.#followed;
    this.#failures += 1;
    if (!error.canRetry && (error.code === "not_authorized" || this.#failures >= FINAL_AFTER_FAILURES)) {
      const message = `following ${topic}: ${error.message}`;
      this.#failed.reject(new KafkaError("consumer_dead", message, { canRetry: false, cause: error }));
      this.close();
      return;
    }
    const { isNew, logger } = this.#parts;
    const facts = { topic, failures: this.#failures, error: error.message };
    if (isWorthLogging(this.#failures) && isNew(error.message))
      logger.warn(facts, "a topic cannot be followed yet");
  }
}
