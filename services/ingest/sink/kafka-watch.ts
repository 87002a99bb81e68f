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
  stored(): void;
  failed(error: { readonly message: string }): void;
  /** Asks until the service ends. */
  run(): Promise<void>;
}

/** A call was stored so lately that a failed write says something of its partition alone, whose copies are away. */
const STORED_LATELY_MS = 2_000;

/** Requests get 503 without waiting while there is a problem, and the service is not ready; it says so once, and once when it is over. */
export function createKafkaWatch(options: KafkaWatchOptions): KafkaWatch {
  const { ask, host, intervalMs, logger, stopping } = options;
  let problem: string | undefined;
  let storedAtMs = Number.NEGATIVE_INFINITY;

  function failed({ message }: { readonly message: string }): void {
    if (stopping.aborted || host.elapsed() - storedAtMs < STORED_LATELY_MS) return;
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
    stored() {
      storedAtMs = host.elapsed();
    },
    failed,
    async run() {
      while (!stopping.aborted) {
        await ask().then(answered, failed);
        await host.delay(intervalMs, stopping).catch(() => undefined);
      }
    },
  };
}
