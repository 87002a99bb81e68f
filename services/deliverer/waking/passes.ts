import type { Logger } from "#runtime";
import { type Endpoints, type PassParts, REQUESTED, type WakeRange } from "./parts.ts";
import { runPass } from "./pass.ts";
import type { Wanted } from "./wanted.ts";

/** The time after which a pass makes way for endpoints that wait. Its cursors keep its place. */
const PASS_MS = 10_000;
/** The rest after a pass that found nothing, in times of its length, or of its reading where limits had no turn: looking costs little. */
const REST_FACTOR = 4;
const MAX_REST_MS = 30_000;
/**
 * The longest rest after a pass for retry requests: what a request means is taken within 20 s, also what the
 * pass before could not see yet.
 */
const MAX_REST_OF_REQUESTS_MS = 5_000;
const AFTER_FAILURE_MS = 2_000;
/** The shortest rest after a pass for which limits of destinations had no turn: one that is at its limit for long costs little. */
const PUT_OFF_REST_MS = 2_000;
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

/** Parts that tell how long one pass reads, without its waits for room. */
function timed(parts: PassParts): { readonly parts: PassParts; readMs(): number } {
  const { host, readRange, room } = parts;
  let readMs = 0;
  async function time<T>(sign: 1 | -1, work: () => Promise<T>): Promise<T> {
    const fromMs = host.elapsed();
    return work().finally(() => {
      readMs += sign * (host.elapsed() - fromMs);
    });
  }
  const wait: typeof room.wait = (endpoint, signal) => time(-1, () => room.wait(endpoint, signal));
  const measured = {
    room: { ...room, wait },
    readRange: (range: WakeRange) => time(1, () => readRange(range)),
  };
  return { parts: { ...parts, ...measured }, readMs: () => readMs };
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

  /** Ends when there is nothing more to take, or when others wait; what is left then is wanted again. */
  async run(endpoints: Endpoints, hurry: AbortSignal): Promise<void> {
    const { stopping } = this.#parts;
    do {
      const end = await this.#tried(endpoints, hurry);
      if (end === "nothing" || stopping.aborted) return;
      if (end === "more" && !this.#wanted.isEmpty) break;
      const pauseMs = end === "more" ? LOOK_AGAIN_MS : AFTER_FAILURE_MS;
      await this.#options.host.delay(pauseMs, stopping).catch(() => undefined);
    } while (this.#wanted.isEmpty && !stopping.aborted);
    for (const [endpoint, failedBeforeMs] of endpoints) this.#wanted.add(endpoint, failedBeforeMs);
  }

  /** `nothing`: there is nothing more to take for now. */
  async #tried(endpoints: Endpoints, hurry: AbortSignal): Promise<"more" | "nothing" | "failed"> {
    try {
      return (await this.#once(endpoints, hurry)) ? "more" : "nothing";
    } catch (error) {
      // Kafka is away, for instance. Nobody would wake these calls again before they are due.
      this.#options.logger.warn({ err: error }, "waiting calls could not be woken; it is tried again");
      return "failed";
    }
  }

  async #once(endpoints: Endpoints, hurry: AbortSignal): Promise<boolean> {
    const { host, logger, nowMs, woken } = this.#options;
    const beganAtMs = nowMs();
    const over = new AbortController();
    const timer = host.setTimeout(() => over.abort(), PASS_MS);
    const slice = AbortSignal.any([this.#parts.stopping, over.signal]);
    const { parts, readMs } = timed(this.#parts);
    const { isPutOff, taken, returned } = await runPass(endpoints, parts, slice).finally(() => timer.clear());
    woken(taken);
    if (taken > 0) logger.info({ taken, returned, endpoints: endpoints.size }, "waiting calls were woken");
    // Its time was over before it had seen all: the process, or an endpoint, had no room.
    if (over.signal.aborted && taken === 0 && !isPutOff) return true;
    const isRequested = [...endpoints.values()].includes(REQUESTED);
    const maxMs = isRequested ? MAX_REST_OF_REQUESTS_MS : MAX_REST_MS;
    const restMs = Math.min(maxMs, REST_FACTOR * (isPutOff ? readMs() : nowMs() - beganAtMs));
    if (taken === 0) {
      await this.#rest(isPutOff ? Math.max(PUT_OFF_REST_MS, restMs) : restMs, hurry);
      // Others had all turns just then, and nobody would wake these calls again before they are due.
      return isPutOff;
    }
    // Jobs that come back each time would be woken for ever.
    if (taken <= returned) return false;
    // Of a long backlog each pass reads all, for the few calls that have turns. The look again is a part of this rest.
    if (isPutOff) await this.#rest(restMs - LOOK_AGAIN_MS, hurry);
    return true;
  }

  /** A clock that was set meanwhile does not say how long the pass took: the time may be less than nothing. */
  async #rest(ms: number, hurry: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([this.#parts.stopping, hurry]);
    await this.#options.host.delay(Math.max(0, ms), signal).catch(() => undefined);
  }
}
