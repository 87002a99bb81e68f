// Wakes the waiting calls of endpoints that are back, or that have room again: none of them sits out half an hour because
// its endpoint was down when it was tried (design: "Waking").
import type { Logger } from "#runtime";
import type { Endpoints, PassParts } from "./parts.ts";
import { runPass } from "./pass.ts";

/** At most so many passes at a time; endpoints beyond that share one. */
const MAX_PASSES = 4;
/** After so long a pass makes way for endpoints that wait; its cursors keep its place. */
const PASS_MS = 10_000;
/** After a pass that found nothing its place stays empty for so many times its length: looking shall cost little. */
const REST_FACTOR = 4;
const MAX_REST_MS = 30_000;
/** Calls that were on their way into a retry topic when a pass looked are there after this time. */
const LOOK_AGAIN_MS = 500;

export interface WakerOptions extends Omit<PassParts, "refused" | "stopping"> {
  readonly logger: Logger;
  /** Woken calls, as they end a pass. */
  woken(calls: number): void;
}

export interface Waker {
  /** The endpoint was down and is back: takes all that waits for it, and does not wait for the rest after an earlier look. */
  recovered(endpoint: string): void;
  /** The endpoint is well, which this process did not know before: the same. */
  found(endpoint: string): void;
  /** The endpoint has room again: takes the calls that were put off without being asked. Those that failed keep their schedule. */
  hasRoom(endpoint: string): void;
  /** Takes no more; resolves when the passes have ended or `graceMs` is over. */
  stop(graceMs: number): Promise<void>;
}

function passParts(options: WakerOptions, stopping: AbortSignal): PassParts {
  const text = "what a woken call becomes could not be written; it is tried again";
  const refused = (error: unknown, failures: number) => options.logger.error({ err: error, failures }, text);
  return { ...options, stopping, refused };
}

/** Endpoints that wait for a pass or are in one, and since when they are known to be well. */
class Wanted {
  readonly #pending = new Map<string, number>();
  /** By endpoint, what ends the rest after its pass when that found nothing. */
  readonly #passing = new Map<string, AbortController>();

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** Calls that failed before this time are taken, beside those that were not asked. */
  add(endpoint: string, failedBeforeMs: number): void {
    this.#pending.set(endpoint, Math.max(failedBeforeMs, this.#pending.get(endpoint) ?? 0));
  }

  /** For a pass: one endpoint, or all that are free. They are in the pass until it is over. */
  take(isLastPass: boolean): { readonly endpoints: Endpoints; readonly hurry: AbortController } {
    const free = [...this.#pending].filter(([endpoint]) => !this.#passing.has(endpoint));
    const endpoints = new Map(isLastPass ? free : free.slice(0, 1));
    const hurry = new AbortController();
    for (const endpoint of endpoints.keys()) {
      this.#pending.delete(endpoint);
      this.#passing.set(endpoint, hurry);
    }
    return { endpoints, hurry };
  }

  hurry(endpoint: string): void {
    this.#passing.get(endpoint)?.abort();
  }

  over(endpoints: Endpoints): void {
    for (const endpoint of endpoints.keys()) this.#passing.delete(endpoint);
  }
}

/** One pass after the other for the same endpoints, until there is nothing more to be had. */
class Passes {
  readonly #options: WakerOptions;
  readonly #parts: PassParts;
  readonly #wanted: Wanted;

  constructor(options: WakerOptions, parts: PassParts, wanted: Wanted) {
    this.#options = options;
    this.#parts = parts;
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

  /** False: there is nothing more to be had, for now. */
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
    // What comes back each time would be woken for ever.
    return taken > returned;
  }

  async #rest(passMs: number, hurry: AbortSignal): Promise<void> {
    // A clock that was set meanwhile tells nothing of how long it took.
    const restMs = Math.min(MAX_REST_MS, Math.max(0, passMs * REST_FACTOR));
    const signal = AbortSignal.any([this.#parts.stopping, hurry]);
    await this.#options.host.delay(restMs, signal).catch(() => undefined);
  }
}

export function createWaker(options: WakerOptions): Waker {
  const { host, nowMs } = options;
  const stopping = new AbortController();
  const wanted = new Wanted();
  const passes = new Passes(options, passParts(options, stopping.signal), wanted);
  const running = new Set<Promise<void>>();

  /** When there are more endpoints than passes, the last one takes all that are left. */
  function begin(): void {
    while (!stopping.signal.aborted && running.size < MAX_PASSES) {
      const { endpoints, hurry } = wanted.take(running.size === MAX_PASSES - 1);
      if (endpoints.size === 0) return;
      const pass = passes.run(endpoints, hurry.signal).finally(() => {
        wanted.over(endpoints);
        running.delete(pass);
        begin();
      });
      running.add(pass);
    }
  }

  function wake(endpoint: string, failedBeforeMs: number): void {
    wanted.add(endpoint, failedBeforeMs);
    begin();
  }

  return {
    recovered(endpoint) {
      wanted.hurry(endpoint);
      wake(endpoint, nowMs());
    },
    found: (endpoint) => wake(endpoint, nowMs()),
    hasRoom: (endpoint) => wake(endpoint, 0),
    async stop(graceMs) {
      stopping.abort();
      const ended = new AbortController();
      const grace = host.delay(graceMs, ended.signal).catch(() => undefined);
      await Promise.race([Promise.all(running), grace]);
      ended.abort();
    },
  };
}
