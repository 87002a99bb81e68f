// How far a count that was estimated from some of the profiles may be off; pure.

/** What was seen of a population of `total`. */
export interface Sampled {
  readonly total: number;
  readonly judged: number;
  readonly members: number;
  /** Evenly spread over all of them. False: the time was over before that, and what was judged may be like each other. */
  readonly isSpread: boolean;
}

/** Of the standard normal distribution: within so many deviations lie 95 %. */
const DEVIATIONS = 1.96;

export function estimateOf({ judged, members, total }: Sampled): number {
  return judged === 0 ? 0 : Math.round((members * Math.max(total, judged)) / judged);
}

/**
 * The true count is at most so far from the estimate: with 95 % certainty of a spread sample (Wilson's interval with the correction
 * for a finite population, which holds for no members and few, too), and surely of one that is not.
 */
export function countError(sampled: Sampled): number {
  const { isSpread, judged, members, total } = sampled;
  const rest = Math.max(0, total - judged);
  const estimate = estimateOf(sampled);
  const surely = Math.max(estimate - members, members + rest - estimate);
  if (rest === 0 || judged === 0 || !isSpread) return surely;
  const squared = DEVIATIONS ** 2 * (rest / (total - 1));
  const share = members / judged;
  const middle = (share + squared / (2 * judged)) / (1 + squared / judged);
  const half =
    Math.sqrt(squared * ((share * (1 - share)) / judged + squared / (4 * judged ** 2))) /
    (1 + squared / judged);
  const farthest = Math.max(estimate - (middle - half) * total, (middle + half) * total - estimate);
  return Math.min(surely, Math.ceil(farthest));
}
