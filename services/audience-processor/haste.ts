import type { Haste } from "#kafka";
import { MAX_OUTSTANDING } from "./parts.ts";

/** How soon the process reads, writes and commits. */
export interface ProcessorHaste extends Haste {
  readonly lingerMs: number;
}

/**
 * While no audience and no computed trait exists nobody waits for what becomes of a call here: it is read and written in large steps, as a request
 * to Kafka costs the same whatever it carries.
 */
const NOBODY_WAITS: ProcessorHaste = { fetchPauseMs: 500, commitAfterMs: 1_000, lingerMs: 500 };

/** A call passes four such steps before its identify is written: a tenth of a second together, of the quarter that it may take. Timers alone wait for commits. */
const SOMEBODY_WAITS: ProcessorHaste = { fetchPauseMs: 25, commitAfterMs: 250, lingerMs: 25 };

/** Half of what may be outstanding: what is written then lets the reading go on before it stands still. */
const MANY_OUTSTANDING = MAX_OUTSTANDING.records / 2;

/** How long profiles gather before they are written, with so many events outstanding: those that change few profiles fill no request. */
export function profileLingerMs({ lingerMs }: ProcessorHaste, outstandingEvents: number): number {
  return outstandingEvents >= MANY_OUTSTANDING ? 0 : lingerMs;
}

/** Asked for each step: what is configured may change between two. */
export function hasteOf({ isAny }: { readonly isAny: boolean }): ProcessorHaste {
  return isAny ? SOMEBODY_WAITS : NOBODY_WAITS;
}
