// What an earlier connection was unsure of when it ended. A receiver may have its older value behind a newer one whose message id it knows: so it is
// given that value under another id, also where nobody is a member any more.
import type { ConnectionSync, DoubtedValue } from "#topics";

function keyOf({ computationId, profileId }: DoubtedValue): string {
  return JSON.stringify([profileId, computationId]);
}

/** For the sync of the next connection. */
export function doubtsAfter({ doubts, unsure }: ConnectionSync): DoubtedValue[] {
  const all = [...doubts, ...unsure].map(({ computationId, profileId }) => ({ profileId, computationId }));
  return [...new Map(all.map((one) => [keyOf(one), one])).values()];
}

/** Those of a sync that it has not given yet. */
export class Doubts {
  readonly #open: Map<string, DoubtedValue>;

  constructor(doubts: readonly DoubtedValue[]) {
    this.#open = new Map(doubts.map((one) => [keyOf(one), one]));
  }

  has(one: DoubtedValue): boolean {
    return this.#open.size > 0 && this.#open.has(keyOf(one));
  }

  given(values: readonly DoubtedValue[]): void {
    if (this.#open.size > 0) for (const one of values) this.#open.delete(keyOf(one));
  }

  list(): DoubtedValue[] {
    return [...this.#open.values()];
  }

  /** Once every profile has been looked at: what is not held back is gone. */
  heldBack(ids: readonly string[]): DoubtedValue[] {
    return this.list().filter(({ computationId }) => ids.includes(computationId));
  }
}
