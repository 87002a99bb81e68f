import type { Host } from "#host";
import type { Logger } from "#runtime";

/** While it lasts it is said so often. */
const SAY_EVERY_MS = 60_000;

/** Something that is tried every second and fails for a while: said when it begins, then each minute, and when it is over. */
export class Trouble {
  readonly #logger: Logger;
  readonly #host: Pick<Host, "elapsed">;
  #begunAtMs: number | undefined;
  #saidAtMs = 0;

  constructor(logger: Logger, host: Pick<Host, "elapsed">) {
    this.#logger = logger;
    this.#host = host;
  }

  failed(error: unknown): void {
    const nowMs = this.#host.elapsed();
    if (this.#begunAtMs !== undefined && nowMs - this.#saidAtMs < SAY_EVERY_MS) return;
    this.#begunAtMs ??= nowMs;
    this.#saidAtMs = nowMs;
    const facts = { err: error, forMs: nowMs - this.#begunAtMs };
    this.#logger.warn(facts, "the profiles cannot be followed; it is tried again");
  }

  succeeded(): void {
    if (this.#begunAtMs === undefined) return;
    const forMs = this.#host.elapsed() - this.#begunAtMs;
    this.#begunAtMs = undefined;
    this.#logger.info({ forMs }, "the profiles are followed again");
  }
}
