// Each partition looks several times a second for what is to be done of its computations, and mostly there is nothing. Such a look takes half a
// millisecond with five hundred audiences, so the next one comes when something has changed.
import type { PartitionComputations } from "./partition-computations.ts";

export interface LooksParts {
  readonly computations: Pick<PartitionComputations, "set">;
  readonly worker: { readonly term: number };
  /** Another number after each change of what is known of progress, counts left out. */
  progressChanges(): number;
}

type Seen = readonly [set: unknown, progressChanges: number, term: number];

export class Looks {
  readonly #parts: LooksParts;
  #seen: Seen | undefined;
  #isAtRest = false;

  constructor(parts: LooksParts) {
    this.#parts = parts;
  }

  /** Whether to look: not while all is as it was when the last look began, if that has found nothing to do. */
  isDue(): boolean {
    const { computations, progressChanges, worker } = this.#parts;
    const seen: Seen = [computations.set, progressChanges(), worker.term];
    if (this.#isAtRest && seen.every((value, index) => value === this.#seen?.[index])) return false;
    this.#seen = seen;
    this.#isAtRest = false;
    return true;
  }

  /** The look that `isDue` has asked for has found nothing to do, and nothing that comes to be done by the passing of time. */
  foundNothing(): void {
    this.#isAtRest = true;
  }
}
