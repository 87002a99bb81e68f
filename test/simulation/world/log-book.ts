import type { Logger } from "#runtime";

type Level = "info" | "warn" | "error" | "fatal";

/** One line of a simulated process's log. */
export interface LogLine {
  readonly atMs: number;
  readonly process: string;
  readonly level: Level;
  readonly message: string;
  readonly facts: object;
}

/** The logs of all processes together. */
export class LogBook {
  readonly lines: LogLine[] = [];
  readonly #nowMs: () => number;
  readonly #onLine: (line: LogLine) => void;

  constructor(nowMs: () => number, onLine: (line: LogLine) => void) {
    this.#nowMs = nowMs;
    this.#onLine = onLine;
  }

  logger(process: string): Logger {
    const at = (level: Level) => (facts: object, message: string) =>
      this.#write({ process, level, facts, message });
    const logger: Logger = {
      debug: () => undefined,
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      fatal: at("fatal"),
      child: () => logger,
    };
    return logger;
  }

  #write(line: Omit<LogLine, "atMs">): void {
    const written = { atMs: this.#nowMs(), ...line };
    this.lines.push(written);
    this.#onLine(written);
  }
}
