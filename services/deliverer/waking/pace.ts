// The share of the process that waking takes: first attempts must not notice it.
import type { Host } from "#host";

/** Calls a second to begin with, and in any case; the same that a busy process gives to waiting calls that fall due (share.ts). */
const START_PER_SECOND = 500;
const MIN_PER_SECOND = 320;
const MAX_PER_SECOND = 20_000;
/** Share of the event loop's time, of all its work, from which on waking gives way: with a third left, what comes is done at once. */
const BUSY_FROM = 0.65;
const FASTER = 1.15;
const SLOWER = 0.7;
/** The share is measured, and the rate set, so often. */
const PERIOD_MS = 100;
/**
 * The largest burst, as the time in which its calls come up: the calls of others would wait behind all of a
 * larger one.
 */
const BURST_MS = 20;

export interface WakePace {
  /** True: one more may be woken now, and is counted. */
  take(): boolean;
}

/** One for all passes of a process. */
export function createWakePace(host: Pick<Host, "elapsed" | "busyMs">): WakePace {
  let perSecond = START_PER_SECOND;
  let ready = 0;
  let filledAtMs = host.elapsed();
  /** Somebody wanted more than there was. */
  let isShort = false;
  let measured = { atMs: host.elapsed(), busyMs: host.busyMs() };

  function adapt(nowMs: number): void {
    const sinceMs = nowMs - measured.atMs;
    if (sinceMs < PERIOD_MS) return;
    const busyMs = host.busyMs();
    const share = (busyMs - measured.busyMs) / sinceMs;
    if (share > BUSY_FROM) perSecond = Math.max(MIN_PER_SECOND, perSecond * SLOWER);
    else if (isShort) perSecond = Math.min(MAX_PER_SECOND, perSecond * FASTER);
    isShort = false;
    // Nobody took any for a while: what was learnt is of another time.
    if (sinceMs > 10 * PERIOD_MS) perSecond = START_PER_SECOND;
    measured = { atMs: nowMs, busyMs };
  }

  return {
    take() {
      const nowMs = host.elapsed();
      adapt(nowMs);
      const burst = Math.max(1, (perSecond * BURST_MS) / 1_000);
      ready = Math.min(burst, ready + ((nowMs - filledAtMs) * perSecond) / 1_000);
      filledAtMs = nowMs;
      isShort ||= ready < 1;
      if (ready < 1) return false;
      ready -= 1;
      return true;
    },
  };
}
