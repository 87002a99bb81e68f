import type { Host, Timer } from "#host";

export interface ReleaseParts {
  readonly host: Host;
  /**
   * The longest time that a partition waits for the work on its records. Undefined: partitions move whatever
   * is under way.
   */
  readonly withinMs: number | undefined;
  /** Numbers of the member's partitions of which records are worked on. */
  busy(): ReadonlySet<number>;
  /** Called when nothing of what the leader wants back is worked on: the leader can be told. */
  onReady(): void;
}

/**
 * The partitions that are to be another member's, of which records are still worked on (decision 16). Their member keeps them over the
 * rebalance that would move them and begins nothing of them any more. When the work has ended it joins again, and they move without anything of them
 * being done twice. If it dies before, they move as those of any dead member do.
 */
export class Release {
  readonly #parts: ReleaseParts;
  #wanted: ReadonlySet<number> = new Set();
  /** Partitions whose work takes too long: they move all the same. */
  readonly #givenUp = new Set<number>();
  #isReady = false;
  #deadline: Timer | undefined;

  constructor(parts: ReleaseParts) {
    this.#parts = parts;
  }

  /** The partitions that are not to move, as the leader learns at the next join. */
  get busy(): readonly number[] {
    if (this.#parts.withinMs === undefined) return [];
    return [...this.#parts.busy()].filter((partition) => !this.#givenUp.has(partition));
  }

  /** The leader wants it back: nothing of it is begun. */
  isWanted(partition: number): boolean {
    return this.#wanted.has(partition);
  }

  /** A join: the leader has said which partitions it wants. What an earlier one wanted is over. */
  begin(wanted: readonly number[]): void {
    const { host, withinMs } = this.#parts;
    this.end();
    this.#wanted = new Set(wanted);
    if (wanted.length === 0 || withinMs === undefined) return;
    this.#deadline = host.setTimeout(() => this.#giveUp(), withinMs);
    this.settled();
  }

  /** Work on a record has ended. */
  settled(): void {
    if (this.#wanted.size === 0 || this.#isReady) return;
    const busy = this.#parts.busy();
    for (const partition of this.#wanted) if (busy.has(partition) && !this.#givenUp.has(partition)) return;
    this.#isReady = true;
    this.#parts.onReady();
  }

  end(): void {
    this.#deadline?.clear();
    this.#deadline = undefined;
    this.#wanted = new Set();
    this.#givenUp.clear();
    this.#isReady = false;
  }

  #giveUp(): void {
    this.#deadline = undefined;
    for (const partition of this.#wanted) this.#givenUp.add(partition);
    this.settled();
  }
}
