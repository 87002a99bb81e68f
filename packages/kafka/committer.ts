import { fromClientError } from "./errors.ts";
import type { PartitionOffset } from "./session.ts";
import { keyOf } from "./topic-partition.ts";
import type { KafkaLogger } from "./types.ts";

const COMMIT_EVERY_MS = 1_000;

export interface CommitterParts {
  readonly logger: KafkaLogger;
  /** Committable offsets of the partitions that are assigned now, and of no others (fact 7). */
  positions(): readonly PartitionOffset[];
  /** One try. */
  commit(positions: readonly PartitionOffset[]): Promise<void>;
}

/** Commits what has moved, once a second and when asked. */
export class Committer {
  readonly #parts: CommitterParts;
  #committed = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #underWay = 0;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer ??= setInterval(() => {
      if (this.#underWay === 0) void this.commit();
    }, COMMIT_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
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
    } catch (thrown) {
      this.#parts.logger.debug({ error: fromClientError(thrown).message }, "offsets are committed next time");
    } finally {
      this.#underWay -= 1;
    }
  }
}
