import type { Logger } from "#runtime";

/** One line of a log, as the code under test said it. */
export interface LogLine {
  readonly level: Exclude<keyof Logger, "child">;
  readonly facts: object;
  readonly message: string;
}

/** A service's logger that keeps its lines, those of its components among them. */
export function recordedLog(): { readonly logger: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const at = (level: LogLine["level"]) => (facts: object, message: string) =>
    void lines.push({ level, facts, message });
  const logger: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    fatal: at("fatal"),
    child: () => logger,
  };
  return { logger, lines };
}
