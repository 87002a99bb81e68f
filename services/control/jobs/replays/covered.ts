import type { Indexed } from "../../deliveries/index/indexed.ts";
import type { Progress } from "../../deliveries/index/progress.ts";

interface Covering {
  readonly progress: Pick<Progress, "untilCovers">;
  readonly kind: Indexed;
  /** End of every partition, by its number. */
  readonly ends: readonly number[];
  readonly signal: AbortSignal;
}

const INDEX_LOOK_MS = 1_000;

/**
 * What `look` finds in an index that has everything below `ends`. At any time the index may be thrown away and made again: what is found
 * meanwhile is not all, so it is looked for again. Rejects with `signal`.
 */
export async function findCovered<R>(look: () => R | Promise<R>, covering: Covering): Promise<R> {
  const { ends, kind, progress, signal } = covering;
  for (;;) {
    while (!(await progress.untilCovers(kind, ends, INDEX_LOOK_MS))) signal.throwIfAborted();
    const found = await look();
    // Damage shows when a file is read.
    if (await progress.untilCovers(kind, ends, 0)) return found;
  }
}
