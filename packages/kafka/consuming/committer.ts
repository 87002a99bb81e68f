import type { Host, Timer } from "#host";
import { fromClientError, type KafkaError } from "../errors.ts";
import type { CommittedOffset } from "../session.ts";
import { keyOf } from "../topic-partition.ts";
import type { KafkaLogger } from "../types.ts";

const RETRY_AFTER_MS = 1_000;
const LAST_RETRY_MS = 200;

/**
 * Failures in a row after which waiting does not help, a second or more apart: longer than it takes until a lost coordinator is replaced, which
 * the client follows. A member that joins again keeps its partitions and what it has done; one that leaves hands over work that is done
 * and not committed, which the next owner does again.
 */
const STUCK_AFTER_FAILURES = 15;

export interface CommitterParts {
  readonly logger: KafkaLogger;
  readonly host: Host;
  /** The shortest time between two commits. */
  commitAfterMs(): number;
  /** The offsets to commit, only of partitions that are assigned now (fact 7). */
  positions(): readonly CommittedOffset[];
  /** False while `positions` leaves out what is done, because the group's own place there is not known yet. */
  isComplete(): boolean;
  /** Called when the last result of `positions` is committed. */
  onCommitted(): void;
  /** One try. False: there is no generation to commit in, and nothing was sent. */
  commit(positions: readonly CommittedOffset[]): Promise<boolean>;
  /** Commits go on failing: the member should join again. */
  onStuck(): void;
  /** They have gone on failing since it was asked to: the session should be given up. */
  onStuckAgain(): void;
}

/** Commits what has moved, or was done ahead, soon after it was done and when asked. One commit is under way at a time, so that none overtakes another. */
export class Committer {
  readonly #parts: CommitterParts;
  #committed = new Map<string, CommittedOffset>();
  #timer: Timer | undefined;
  #underWay: Promise<boolean> | undefined;
  #failures = 0;
  /** False once the brokers have refused a commit for its size: offsets alone are always taken. */
  #carriesMetadata = true;
  #isStopped = false;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  /** Something may have become committable. Called for every record. */
  notice(): void {
    if (this.#timer === undefined) this.#commitIn(this.#parts.commitAfterMs());
  }

  /** Forgets what was committed: after a rebalance another member may have committed. */
  forget(): void {
    this.#committed = new Map();
    this.#clearTimer();
    this.notice();
  }

  /** Commits now, or after the commit that is under way. Never rejects: what could not be committed is committed next time. */
  async commit(): Promise<void> {
    await this.#try();
  }

  /**
   * The last commit, tried until everything that is done is in it or `withinMs` are over: a member that waits for its join cannot send a commit
   * before that, and for its partitions not before it has read the group's commits; what it leaves uncommitted is done again.
   */
  async commitLast(withinMs: number): Promise<void> {
    const { host } = this.#parts;
    const untilMs = host.elapsed() + withinMs;
    this.#isStopped = true;
    this.#clearTimer();
    while (!((await this.#try()) && this.#parts.isComplete()) && host.elapsed() < untilMs)
      await host.delay(LAST_RETRY_MS);
  }

  /** True when nothing is left to be committed. */
  async #try(): Promise<boolean> {
    while (this.#underWay !== undefined) await this.#underWay;
    const committed = this.#committed;
    const moved = this.#positions().filter((position) => {
      const before = committed.get(keyOf(position));
      return before?.offset !== position.offset || before.metadata !== position.metadata;
    });
    if (moved.length > 0) {
      this.#underWay = this.#send(moved, committed);
      return this.#underWay;
    }
    this.#parts.onCommitted();
    return true;
  }

  #positions(): readonly CommittedOffset[] {
    const positions = this.#parts.positions();
    if (this.#carriesMetadata) return positions;
    return positions.map(({ topic, partition, offset }) => ({ topic, partition, offset }));
  }

  async #send(moved: readonly CommittedOffset[], committed: Map<string, CommittedOffset>): Promise<boolean> {
    try {
      const isSent = await this.#parts.commit(moved);
      if (!isSent) {
        this.#commitIn(RETRY_AFTER_MS);
        return false;
      }
      for (const position of moved) committed.set(keyOf(position), position);
      this.#failures = 0;
      this.#parts.onCommitted();
      return true;
    } catch (thrown) {
      this.#failed(fromClientError(thrown));
      return false;
    } finally {
      this.#underWay = undefined;
    }
  }

  #clearTimer(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }

  #commitIn(delayMs: number): void {
    if (this.#isStopped) return;
    this.#timer ??= this.#parts.host.setTimeout(() => {
      this.#timer = undefined;
      if (this.#underWay === undefined) void this.commit();
      else this.notice();
    }, delayMs);
  }

  #failed(error: KafkaError): void {
    this.#failures += 1;
    const facts = { failures: this.#failures, error: error.message };
    this.#parts.logger.debug(facts, "offsets are committed next time");
    // What was done meanwhile would have it tried at once.
    this.#clearTimer();
    this.#commitIn(RETRY_AFTER_MS);
    if (error.code === "record_too_large" && this.#carriesMetadata) {
      this.#carriesMetadata = false;
      const text =
        "the brokers take no commit of that size: only offsets are committed, and more is done again after a kill";
      this.#parts.logger.warn({ error: error.message }, text);
    }
    if (this.#isStopped || this.#failures % STUCK_AFTER_FAILURES > 0) return;
    const isAgain = this.#failures % (2 * STUCK_AFTER_FAILURES) === 0;
    if (isAgain) this.#parts.onStuckAgain();
    else this.#parts.onStuck();
  }
}
