// Whether Kafka takes calls now: a failed write says no at once, an answer to the next question says yes again.
import type { Host } from "#host";
import type { Logger } from "#runtime";

export interface KafkaWatchOptions {
  /** Rejects when Kafka does not answer. */
  ask(): Promise<unknown>;
  readonly host: Pick<Host, "delay" | "elapsed">;
  readonly intervalMs: number;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

export interface KafkaWatch {
  /** Why calls cannot be stored, or undefined. */
  readonly problem: string | undefined;
  /** The time since a request came whose calls are stored, the latest of them. */
  sinceStoredMs(): number;
  /** The time since the last request came whose calls shall be stored. */
  sinceTriedMs(): number;
  /** Gives the time, for `stored` and `failed` of what begins now. */
  begin(): number;
  stored(beganAtMs: number): void;
  /** If what began later is stored, the failure is that of a partition, whose copies are away, and Kafka takes calls. */
  failed(error: { readonly message: string }, beganAtMs: number): void;
  /** Asks until the service ends. */
  run(): Promise<void>;
}

/** Requests get 503 without waiting while there is a problem, and the service is not ready; it says so once, and once when it is over. */
export function createKafkaWatch(options: KafkaWatchOptions): KafkaWatch {
  const { ask, host, intervalMs, logger, stopping } = options;
  let problem: string | undefined;
  let storedAtMs = Number.NEGATIVE_INFINITY;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  function isAway({ message }: { readonly message: string }): void {
    if (stopping.aborted) return;
    if (problem === undefined) logger.warn({ problem: message }, "calls cannot be stored: requests get 503");
    problem = message;
  }

  function answered(): void {
    if (problem !== undefined) logger.info({}, "Kafka answers again: calls are taken");
    problem = undefined;
  }

  return {
    get problem() {
      return problem;
    },
    sinceStoredMs: () => host.elapsed() - storedAtMs,
    sinceTriedMs: () => host.elapsed() - triedAtMs,
    begin() {
      triedAtMs = host.elapsed();
      return triedAtMs;
    },
    stored(beganAtMs) {
      storedAtMs = Math.max(storedAtMs, beganAtMs);
    },
    failed(error, beganAtMs) {
      if (storedAtMs <= beganAtMs) isAway(error);
    },
    async run() {
      while (!stopping.aborted) {
        await ask().then(answered, isAway);
        await host.delay(intervalMs, stopping).catch(() => undefined);
      }
    },
  };
}
