// Whether Kafka takes calls now: a failed write says no at once, an answer to the next question says yes again.
import type { Host } from "#host";
import type { Logger } from "#runtime";

export interface KafkaWatchOptions {
  /** Rejects when Kafka does not answer. */
  ask(): Promise<unknown>;
  readonly host: Pick<Host, "delay">;
  /** Pause between two questions. */
  readonly intervalMs: number;
  readonly logger: Logger;
  /** Ends the asking. */
  readonly stopping: AbortSignal;
}

export interface KafkaWatch {
  /** Why calls cannot be stored, or undefined. */
  readonly problem: string | undefined;
  failed(error: { readonly message: string }): void;
  /** Asks until the service ends. */
  run(): Promise<void>;
}

/** Requests get 503 without waiting while there is a problem, and the service is not ready; it says so once, and once when it is over. */
export function createKafkaWatch(options: KafkaWatchOptions): KafkaWatch {
  const { ask, host, intervalMs, logger, stopping } = options;
  let problem: string | undefined;

  function failed({ message }: { readonly message: string }): void {
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
    failed,
    async run() {
      while (!stopping.aborted) {
        await ask().then(answered, failed);
        await host.delay(intervalMs, stopping).catch(() => undefined);
      }
    },
  };
}
