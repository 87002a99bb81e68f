/** Limits the calls of each source (contract 7.3). */
export interface RateLimit {
  /** Takes `calls` from the source's allowance: undefined when there is one, else how long until there will be. */
  take(sourceId: string, calls: number): number | undefined;
}

interface Bucket {
  allowance: number;
  filledAtMs: number;
}

export interface RateLimitOptions {
  /** Calls a second; 0 switches the limit off. */
  readonly callsPerSecond: number;
  nowMs(): number;
}

/** How much a source that was quiet may send at once, in seconds of its rate. */
const BURST_SECONDS = 2;

/**
 * A token bucket for each source. A request passes as soon as there is any allowance and may put it into debt: a batch
 * larger than the burst would never pass otherwise.
 */
export function createRateLimit({ callsPerSecond, nowMs }: RateLimitOptions): RateLimit {
  const buckets = new Map<string, Bucket>();
  const burst = callsPerSecond * BURST_SECONDS;

  function fill(sourceId: string): Bucket {
    const now = nowMs();
    const bucket = buckets.get(sourceId) ?? { allowance: burst, filledAtMs: now };
    const elapsedMs = Math.max(0, now - bucket.filledAtMs);
    bucket.allowance = Math.min(burst, bucket.allowance + (elapsedMs / 1_000) * callsPerSecond);
    bucket.filledAtMs = now;
    buckets.set(sourceId, bucket);
    return bucket;
  }

  return {
    take(sourceId, calls) {
      if (callsPerSecond === 0) return undefined;
      const bucket = fill(sourceId);
      if (bucket.allowance > 0) {
        bucket.allowance -= calls;
        return undefined;
      }
      return Math.ceil(((1 - bucket.allowance) / callsPerSecond) * 1_000);
    },
  };
}
