import type { Host, Timer } from "#host";
import { fromClientError, type KafkaError } from "./errors.ts";
import type { PartitionOffset } from "./session.ts";
import { keyOf } from "./topic-partition.ts";
import type { KafkaLogger } from "./types.ts";

const COMMIT_EVERY_MS = 1_000;

/**
 * So many failures in a row are not passing. When the coordinator moves while the client rejoins, the client goes on fetching and
 * sending heartbeats, but commits to the old coordinator for ever.
 */
const STUCK_AFTER_FAILURES = 3;

export interface CommitterParts {
  readonly logger: KafkaLogger;
  readonly host: Host;
  /** Committable offsets of the partitions that are assigned now, and of no others (fact 7). */
  positions(): readonly PartitionOffset[];
  /** One try. */
  commit(positions: readonly PartitionOffset[]): Promise<void>;
  /** Commits fail and will go on failing in this session. */
  onStuck(): void;
}

/** Commits what has moved, once a second and when asked. */
export class Committer {
  readonly #parts: CommitterParts;
  #committed = new Map<string, number>();
  #timer: Timer | undefined;
  #underWay = 0;
  #failures = 0;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer ??= this.#parts.host.setInterval(() => {
      if (this.#underWay === 0) void this.commit();
    }, COMMIT_EVERY_MS);
  }

  stop(): void {
    this.#timer?.clear();
    this.#timer = undefined;
  }

  /** After a rebalance another member may have committed: nothing that was committed before counts any more. */
  forget(): void {
    this.#committed = new Map();
  }

  /** Sends at once, in this turn. Never rejects: what could not be committed is committed next time. */
  async commit(): Promise<void> {
    const committed = this.#committed;
    const moved = this.#parts
      .positions()
      .filter((position) => committed.get(keyOf(position)) !== position.offset);
    if (moved.length === 0) return;
    this.#underWay += 1;
    try {
      await this.#parts.commit(moved);
      for (const position of moved) committed.set(keyOf(position), position.offset);
      this.#failures = 0;
    } catch (thrown) {
      this.#failed(fromClientError(thrown));
    } finally {
      this.#underWay -= 1;
    }
  }

  #failed(error: KafkaError): void {
    this.#failures += 1;
    const facts = { failures: this.#failures, error: error.message };
    this.#parts.logger.debug(facts, "offsets are committed next time");
    if (this.#failures % STUCK_AFTER_FAILURES === 0) this.#parts.onStuck();
  }
}
