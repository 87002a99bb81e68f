// Wakes the waiting calls of endpoints that are back or have room again. Without it a call would wait for up to half an hour because
// its endpoint was down when it was tried.
import { REQUESTED } from "./parts.ts";
import { Passes, type PassesOptions } from "./passes.ts";
import { Wanted } from "./wanted.ts";

/** Passes that run at a time. Endpoints beyond that share one. */
const MAX_PASSES = 4;

export interface Waker {
  /** The endpoint was down and is back. A pass takes all that waits for it, without the rest that follows a pass which found nothing. */
  recovered(endpoint: string): void;
  /** The endpoint is well, which this process did not know before. A pass takes all that waits for it. */
  found(endpoint: string): void;
  /** The endpoint has room again. A pass takes the calls that were diverted; those that failed keep their schedule. */
  hasRoom(endpoint: string): void;
  /** The destination has retry requests. A pass takes what they mean. */
  asked(destinationId: string): void;
  /** Takes no more. Resolves when the passes have ended, or after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

export function createWaker(options: PassesOptions): Waker {
  const { host, nowMs } = options;
  const stopping = new AbortController();
  const wanted = new Wanted();
  const passes = new Passes(options, wanted, stopping.signal);
  const running = new Set<Promise<void>>();

  /** When there are more endpoints than passes, the last pass takes all that are left. */
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
    asked(destinationId) {
      wake(destinationId, REQUESTED);
      // Somebody waits for it: others shall not keep their places only to rest there.
      if (wanted.isWaiting(destinationId)) wanted.hurryAll();
    },
    async stop(graceMs) {
      stopping.abort();
      await within(graceMs, Promise.all(running), host);
    },
  };
}

/** Resolves with `work`, or after `graceMs`. */
async function within(
  graceMs: number,
  work: Promise<unknown>,
  host: Pick<PassesOptions["host"], "delay">,
): Promise<void> {
  const ended = new AbortController();
  const grace = host.delay(graceMs, ended.signal).catch(() => undefined);
  await Promise.race([work, grace]);
  ended.abort();
}
