import type { Haste } from "#kafka";

/** How soon the process reads, writes and commits. */
export interface ProcessorHaste extends Haste {
  readonly lingerMs: number;
}

/**
 * While no audience and no computed trait exists nobody waits for what becomes of a call here: it is read and written in large steps, as a request
 * to Kafka costs the same whatever it carries.
 */
const NOBODY_WAITS: ProcessorHaste = { fetchPauseMs: 200, commitAfterMs: 1_000, lingerMs: 200 };

/** A call passes four such steps before its identify is written: a tenth of a second together, of the quarter that it may take. */
const SOMEBODY_WAITS: ProcessorHaste = { fetchPauseMs: 25, commitAfterMs: 100, lingerMs: 25 };

/** Asked for each step: what is configured may change between two. */
export function hasteOf({ isAny }: { readonly isAny: boolean }): ProcessorHaste {
  return isAny ? SOMEBODY_WAITS : NOBODY_WAITS;
}
