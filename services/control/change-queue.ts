import type { Host } from "#host";
import { ProblemError } from "./http/problem.ts";

/**
 * Runs changes one after the other, so that what a change was checked against still holds when it is written. Changes
 * are rare; a turn that does not come means that Kafka does not acknowledge those before.
 */
export interface ChangeQueue {
  /** Rejects with an "unavailable" problem when the turn does not come in time; the change is then not begun. */
  run<T>(change: () => Promise<T>): Promise<T>;
}

const TURN_WITHIN_MS = 5_000;

export function createChangeQueue(
  host: Pick<Host, "setTimeout">,
  turnWithinMs: number = TURN_WITHIN_MS,
): ChangeQueue {
  let last: Promise<void> = Promise.resolve();
  return {
    async run(change) {
      const before = last;
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      last = before.then(() => ended);
      try {
        await inTime(before, turnWithinMs, host);
        return await change();
      } finally {
        end();
      }
    },
  };
}

async function inTime(turn: Promise<void>, withinMs: number, host: Pick<Host, "setTimeout">): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const problem = new ProblemError(
    "unavailable",
    "earlier changes still wait for Kafka; this one was not begun",
  );
  const timer = host.setTimeout(() => reject(problem), withinMs);
  try {
    await Promise.race([turn, late]);
  } finally {
    timer.clear();
  }
}
