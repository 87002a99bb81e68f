import { type DestinationStream, destination, type Logger as PinoLogger, pino } from "pino";
import type { LogLevel } from "./process-settings.ts";
import { type Facts, redact } from "./redact.ts";

/**
 * One JSON line per event that needs a person. WARN recovers by itself, ERROR needs someone to act, INFO is a milestone
 * of the process; normal operation logs nothing.
 */
export interface Logger {
  debug(facts: object, message: string): void;
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
  fatal(facts: object, message: string): void;
  /** A logger whose lines carry the component's name. */
  child(component: string): Logger;
}

/** A logger that can also write what must be seen at every level. */
export interface RootLogger extends Logger {
  /** Written whatever the level: programs read it. */
  announce(facts: object, message: string): void;
}

function wrap(lines: PinoLogger): Logger {
  return {
    debug: (facts, message) => lines.debug(facts, message),
    info: (facts, message) => lines.info(facts, message),
    warn: (facts, message) => lines.warn(facts, message),
    error: (facts, message) => lines.error(facts, message),
    fatal: (facts, message) => lines.fatal(facts, message),
    child: (component) => wrap(lines.child({ component })),
  };
}

/** Writes to stdout, synchronously, so that the last line before an exit is there too. */
export function createLogger(options: {
  readonly service: string;
  readonly level: LogLevel;
  readonly stream?: DestinationStream;
}): RootLogger {
  const lines = pino(
    {
      level: options.level,
      base: { service: options.service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: (facts) => redact(facts as Facts) as Record<string, unknown>,
      },
      // Errors are made plain by `redact`; pino's own serialiser asks `instanceof`.
      serializers: { err: (error: unknown) => error },
    },
    options.stream ?? destination({ dest: 1, sync: true }),
  );
  const always = lines.child({}, { level: "info" });
  return { ...wrap(lines), announce: (facts, message) => always.info(facts, message) };
}
