import type { logCreator } from "kafkajs";
import type { Host } from "#host";
import type { KafkaLogger } from "./types.ts";

/** The client repeats itself with every retry, and all topics fail alike; the same line goes out once in so long. */
const REPEAT_AFTER_MS = 30_000;

/** The client's ERROR and WARN levels. */
const CLIENT_ERROR = 1;

/**
 * The client says ERROR for things that it or we recover from, so its lines are warnings here. One of them is an error:
 * records expired before they were read, or the log was truncated.
 */
const NEEDS_A_PERSON = /offset out of range/i;

/**
 * The client logs every error code in an answer before it handles it; what it cannot handle reaches us as an error. A consumer's crash, too:
 * `supervisor.ts` says that. It says that a connection failed in a line before.
 */
const IS_HANDLED =
  /^(Response|Failed to send messages|Crash: |Failed to connect to seed broker.*: Connection)/;

function levelOf(clientLevel: number, message: string): keyof KafkaLogger {
  if (NEEDS_A_PERSON.test(message)) return "error";
  return clientLevel === CLIENT_ERROR && !IS_HANDLED.test(message) ? "warn" : "debug";
}

const silent = (): void => undefined;

/** Logs nothing. */
export const SILENT_LOGGER: KafkaLogger = { debug: silent, info: silent, warn: silent, error: silent };

/**
 * Passes warnings on as debug lines once `closing` is aborted: a connection that opens while its user leaves writes to a socket that has
 * ended, and nobody can do anything about that.
 */
export function quietAfter(closing: AbortSignal, logger: KafkaLogger): KafkaLogger {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger[closing.aborted ? "debug" : "warn"](fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}

/** Returns whether a line is to be said again, or for the first time. */
export function withoutRepeats(host: Pick<Host, "elapsed">): (line: string) => boolean {
  /** In the host's elapsed time: somebody may set the clock back. */
  const lastAtMs = new Map<string, number>();
  return (line) => {
    const elapsedMs = host.elapsed();
    if (elapsedMs - (lastAtMs.get(line) ?? Number.NEGATIVE_INFINITY) < REPEAT_AFTER_MS) return false;
    if (lastAtMs.size > 200) lastAtMs.clear();
    lastAtMs.set(line, elapsedMs);
    return true;
  };
}

/** Passes the client's warnings and errors on, each at most twice a minute; its INFO lines (one with every pause) never get here. */
export function createLogAdapter(logger: KafkaLogger, host: Pick<Host, "elapsed">): logCreator {
  const isNew = withoutRepeats(host);
  return () => (entry) => {
    const { message, timestamp: _time, logger: _logger, stack: _stack, ...facts } = entry.log;
    if (!isNew(`${entry.namespace} ${message}`)) return;
    logger[levelOf(entry.level, message)](
      { component: `kafka client ${entry.namespace}`, ...facts },
      message,
    );
  };
}
