// Wakes the waiting calls of endpoints that are back, or that have room again: none of them sits out half an hour because
// its endpoint was down when it was tried (design: "Waking").
import type { Logger } from "#runtime";
import type { PassParts } from "./parts.ts";
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
  /** Takes the endpoint's waiting calls ahead of their time, until there are none; soon, and once at a time. */
  wake(endpoint: string): void;
  /** The same for an endpoint that was down and is back: it does not wait for the rest after an earlier look. */
  recovered(endpoint: string): void;
  /** Takes no more; resolves when the passes have ended or `graceMs` is over. */
  stop(graceMs: number): Promise<void>;
}

function passParts(options: WakerOptions, stopping: AbortSignal): PassParts {
  const text = "what a woken call becomes could not be written; it is tried again";
  const refused = (error: unknown, failures: number) => options.logger.error({ err: error, failures }, text);
  return { ...options, stopping, refused };
}

export function createWaker(options: WakerOptions): Waker {
  const { host, logger } = options;
  const stopping = new AbortController();
  const parts = passParts(options, stopping.signal);
  const pending = new Set<string>();
  /** By endpoint, what ends the rest after its pass when that found nothing. */
  const passing = new Map<string, AbortController>();
  const passes = new Set<Promise<void>>();

  /** One endpoint for each pass; when there are more of them than passes, the last one takes all that are left. */
  function nextEndpoints(): Set<string> {
    const isLast = passes.size === MAX_PASSES - 1;
    const free = [...pending].filter((endpoint) => !passing.has(endpoint));
    return new Set(isLast ? free : free.slice(0, 1));
  }

  function begin(): void {
    while (!stopping.signal.aborted && passes.size < MAX_PASSES) {
      const endpoints = nextEndpoints();
      if (endpoints.size === 0) return;
      const hurry = new AbortController();
      for (const endpoint of endpoints) {
        pending.delete(endpoint);
        passing.set(endpoint, hurry);
      }
      const pass = passUntilNoneIsLeft(endpoints, hurry.signal).finally(() => {
        for (const endpoint of endpoints) passing.delete(endpoint);
        passes.delete(pass);
        begin();
      });
      passes.add(pass);
    }
  }

  /** False: there is nothing more to be had, for now. */
  async function passOnce(endpoints: ReadonlySet<string>, hurry: AbortSignal): Promise<boolean> {
    const beganAtMs = options.nowMs();
    const over = new AbortController();
    const timer = host.setTimeout(() => over.abort(), PASS_MS);
    const slice = AbortSignal.any([stopping.signal, over.signal]);
    const { taken, returned } = await runPass(endpoints, parts, slice).finally(() => timer.clear());
    options.woken(taken);
    if (taken > 0) logger.info({ taken, returned, endpoints: endpoints.size }, "waiting calls were woken");
    else await rest(options.nowMs() - beganAtMs, hurry);
    // What comes back each time would be woken for ever.
    return taken > returned;
  }

  async function passUntilNoneIsLeft(endpoints: ReadonlySet<string>, hurry: AbortSignal): Promise<void> {
    try {
      while ((await passOnce(endpoints, hurry)) && !stopping.signal.aborted) {
        if (pending.size > 0) {
          for (const endpoint of endpoints) pending.add(endpoint);
          return;
        }
        await host.delay(LOOK_AGAIN_MS, stopping.signal).catch(() => undefined);
      }
    } catch (error) {
      // Nothing is lost: what was not woken is due later. The next sign of the endpoint wakes it again.
      logger.warn({ err: error }, "waiting calls could not be woken");
    }
  }

  async function rest(passMs: number, hurry: AbortSignal): Promise<void> {
    const restMs = Math.min(MAX_REST_MS, passMs * REST_FACTOR);
    const signal = AbortSignal.any([stopping.signal, hurry]);
    await host.delay(restMs, signal).catch(() => undefined);
  }

  function wake(endpoint: string): void {
    pending.add(endpoint);
    begin();
  }

  return {
    wake,
    recovered(endpoint) {
      passing.get(endpoint)?.abort();
      wake(endpoint);
    },
    async stop(graceMs) {
      stopping.abort();
      const ended = new AbortController();
      const grace = host.delay(graceMs, ended.signal).catch(() => undefined);
      await Promise.race([Promise.all(passes), grace]);
      ended.abort();
    },
  };
}
