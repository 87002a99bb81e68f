// How fast a replay goes; pure.

import { Type } from "typebox";

export const DEFAULT_CALLS_PER_SECOND = 200;

export const CallsPerSecondField = Type.Optional(
  Type.Number({
    minimum: 0.1,
    maximum: 10_000,
    description: `The pace; ${DEFAULT_CALLS_PER_SECOND} by default, and never more than the destination's maxRequestsPerSecond.`,
  }),
);

/** So that the calls of a second come spread over it. */
const STEPS_PER_SECOND = 4;

/** So many bodies are in memory at a time. */
const MAX_STEP_CALLS = 250;

export interface Pace {
  /** Calls that are sent at once. */
  readonly calls: number;
  /** From the beginning of one step to that of the next. */
  readonly everyMs: number;
}

/** What was asked for, but no more than the destination takes (contract 4.4). */
export function paceOf(askedPerSecond: number | null, maxRequestsPerSecond: number | null): Pace {
  const perSecond = Math.min(
    askedPerSecond ?? DEFAULT_CALLS_PER_SECOND,
    maxRequestsPerSecond ?? Number.POSITIVE_INFINITY,
  );
  const calls = Math.min(Math.max(1, Math.floor(perSecond / STEPS_PER_SECOND)), MAX_STEP_CALLS);
  return { calls, everyMs: (calls / perSecond) * 1_000 };
}
