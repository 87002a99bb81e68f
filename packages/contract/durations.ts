// Durations of requests, and latencies of deliveries, as counts in fixed buckets: deliverers add them up, and control reads percentiles from the sums.

const RATIO = 1.25;
const BUCKET_COUNT = 92;

/**
 * Upper bounds in milliseconds: 1, 1.25, 1.56, ... 5.3e8 (six days). A percentile is off by at most a bucket's width, which is a quarter of it;
 * 5 s, the usual deadline, lies within 4.1 and 5.2 s.
 */
export const DURATION_BOUNDS_MS: readonly number[] = Array.from(
  { length: BUCKET_COUNT - 1 },
  (_, index) => RATIO ** index,
);

const LOG_RATIO = Math.log(RATIO);

/** The bucket that counts this duration; the last one counts all that is longer than the last bound. */
export function durationBucket(durationMs: number): number {
  if (!(durationMs > 1)) return 0;
  return Math.min(Math.ceil(Math.log(durationMs) / LOG_RATIO), BUCKET_COUNT - 1);
}

/** Buckets of a histogram; a shorter array of counts has zeros at its end. */
export const DURATION_BUCKETS = BUCKET_COUNT;

/**
 * The duration that a share of the requests, 0 to 1, did not exceed, in milliseconds; undefined without requests. Within a bucket it
 * grows evenly from bound to bound; what lies beyond the last bound is given as that bound.
 */
export function durationPercentileMs(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = share * total;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) return within(bucket, (rank - below) / count);
    below += count;
  }
  return DURATION_BOUNDS_MS.at(-1);
}

function within(bucket: number, part: number): number {
  const lower = bucket === 0 ? 0 : (DURATION_BOUNDS_MS[bucket - 1] ?? 0);
  const upper = DURATION_BOUNDS_MS[bucket] ?? lower;
  return lower + (upper - lower) * part;
}
