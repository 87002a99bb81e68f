import type { Logger } from "#runtime";
import type { Endpoints, PassParts } from "./parts.ts";
import { runPass } from "./pass.ts";
import type { Wanted } from "./wanted.ts";

/** After so long a pass makes way for endpoints that wait. Its cursors keep its place. */
const PASS_MS = 10_000;
/** After a pass that found nothing its place stays empty for so many times its length, so that looking costs little. */
const REST_FACTOR = 4;
const MAX_REST_MS = 30_000;
/** Calls that were on their way into a retry topic when a pass looked are there after this time. */
const LOOK_AGAIN_MS = 500;

export interface PassesOptions extends Omit<PassParts, "refused" | "stopping"> {
  readonly logger: Logger;
  /** Woken calls, as they end a pass. */
  woken(calls: number): void;
}

function passParts(options: PassesOptions, stopping: AbortSignal): PassParts {
  const text = "what a woken call becomes could not be written; it is tried again";
  const refused = (error: unknown, failures: number) => options.logger.error({ err: error, failures }, text);
  return { ...options, stopping, refused };
}

/** Runs one pass after the other for the same endpoints, until a pass finds nothing more. */
export class Passes {
  readonly #options: PassesOptions;
  readonly #parts: PassParts;
  readonly #wanted: Wanted;

  constructor(options: PassesOptions, wanted: Wanted, stopping: AbortSignal) {
    this.#options = options;
    this.#parts = passParts(options, stopping);
    this.#wanted = wanted;
  }

  async run(endpoints: Endpoints, hurry: AbortSignal): Promise<void> {
    const { host, logger } = this.#options;
    const { stopping } = this.#parts;
    try {
      while ((await this.#once(endpoints, hurry)) && !stopping.aborted) {
        if (!this.#wanted.isEmpty) {
          for (const [endpoint, failedBeforeMs] of endpoints) this.#wanted.add(endpoint, failedBeforeMs);
          return;
        }
        await host.delay(LOOK_AGAIN_MS, stopping).catch(() => undefined);
      }
    } catch (error) {
      // Nothing is lost: what was not woken is due later. The next sign of the endpoint wakes it again.
      logger.warn({ err: error }, "waiting calls could not be woken");
    }
  }

  /** False: there is nothing more to take for now. */
  async #once(endpoints: Endpoints, hurry: AbortSignal): Promise<boolean> {
    const { host, logger, nowMs, woken } = this.#options;
    const beganAtMs = nowMs();
    const over = new AbortController();
    const timer = host.setTimeout(() => over.abort(), PASS_MS);
    const slice = AbortSignal.any([this.#parts.stopping, over.signal]);
    const { taken, returned } = await runPass(endpoints, this.#parts, slice).finally(() => timer.clear());
    woken(taken);
    if (taken > 0) logger.info({ taken, returned, endpoints: endpoints.size }, "waiting calls were woken");
    else await this.#rest(nowMs() - beganAtMs, hurry);
    // Jobs that come back each time would be woken for ever.
    return taken > returned;
  }

  async #rest(passMs: number, hurry: AbortSignal): Promise<void> {
    // A clock that was set meanwhile does not say how long the pass took.
    const restMs = Math.min(MAX_REST_MS, Math.max(0, passMs * REST_FACTOR));
    const signal = AbortSignal.any([this.#parts.stopping, hurry]);
    await this.#options.host.delay(restMs, signal).catch(() => undefined);
  }
}
