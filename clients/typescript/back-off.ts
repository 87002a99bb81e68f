const FIRST_MS = 100;
const MAX_MS = 10_000;
const MAX_RETRY_AFTER_MS = 300_000;

/**
 * How long to wait after a try that failed: 100 ms, 200 ms, … up to 10 s, of which half is chance; added to what the endpoint asked
 * for, so that clients do not come back as one wave. `tries` is how many came before it.
 */
export function backOffMs(tries: number, retryAfterMs: number, chance: () => number): number {
  const wholeMs = Math.min(FIRST_MS * 2 ** tries, MAX_MS);
  return retryAfterMs + wholeMs / 2 + (wholeMs / 2) * chance();
}

/** Reads Retry-After, in seconds or as a date; at most 300 s. */
export function retryAfterMs(header: string | null, nowMs: number): number {
  if (header === null) return 0;
  const text = header.trim();
  const waitMs = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return Number.isNaN(waitMs) ? 0 : Math.max(0, Math.min(waitMs, MAX_RETRY_AFTER_MS));
}
