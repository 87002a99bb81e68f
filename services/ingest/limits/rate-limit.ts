/** Limits the calls of each source (contract 7.3). */
export interface RateLimit {
  /** Takes `calls` from the source's allowance: undefined when there is one, else how long until there will be. */
  take(sourceId: string, calls: number): number | undefined;
  /** The same without taking: to refuse a source before there is any work with its calls. */
  waitMs(sourceId: string): number | undefined;
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

/** Seconds of its rate that a source that was quiet may send at once. */
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
    let bucket = buckets.get(sourceId);
    if (bucket === undefined) {
      bucket = { allowance: burst, filledAtMs: now };
      buckets.set(sourceId, bucket);
    }
    const elapsedMs = Math.max(0, now - bucket.filledAtMs);
    bucket.allowance = Math.min(burst, bucket.allowance + (elapsedMs / 1_000) * callsPerSecond);
    bucket.filledAtMs = now;
    return bucket;
  }

  function waitMs(bucket: Bucket): number | undefined {
    if (bucket.allowance > 0) return undefined;
    return Math.ceil(((1 - bucket.allowance) / callsPerSecond) * 1_000);
  }

  return {
    take(sourceId, calls) {
      if (callsPerSecond === 0) return undefined;
      const bucket = fill(sourceId);
      const afterMs = waitMs(bucket);
      if (afterMs === undefined) bucket.allowance -= calls;
      return afterMs;
    },
    waitMs: (sourceId) => (callsPerSecond === 0 ? undefined : waitMs(fill(sourceId))),
  };
}

/**
 * The size from which on a call counts as two, and so on: a source's rate is about calls of an ordinary size.
 */
const CHARACTERS_OF_A_CALL = 4_096;

/** Counts the calls by ordinary size. */
export function ordinaryCalls(calls: readonly { readonly body: string }[]): number {
  let count = 0;
  for (const { body } of calls) count += 1 + Math.floor(body.length / CHARACTERS_OF_A_CALL);
  return count;
}
