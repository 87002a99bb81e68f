import { ProblemError } from "./http/problem.ts";

/**
 * Runs changes one after the other, so that what a change was checked against still holds when it is written. Changes
 * are rare; a queue that grows means that Kafka does not answer, and then waiting helps nobody.
 */
export interface ChangeQueue {
  /** Rejects with an "unavailable" problem when too many are waiting. */
  run<T>(change: () => Promise<T>): Promise<T>;
}

const MAX_WAITING = 20;

export function createChangeQueue(maxWaiting: number = MAX_WAITING): ChangeQueue {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    async run(change) {
      if (waiting >= maxWaiting)
        throw new ProblemError("unavailable", "too many changes are waiting for Kafka");
      waiting += 1;
      const turn = last;
      const { promise, resolve } = Promise.withResolvers<void>();
      last = promise;
      try {
        await turn;
        return await change();
      } finally {
        waiting -= 1;
        resolve();
      }
    },
  };
}
