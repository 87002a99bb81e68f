import type { Host } from "#host";

/** The delay after the first failure, and the longest delay, in ms. */
export interface BackoffRange {
  readonly first: number;
  readonly max: number;
}

/** Delay before try number `failures` + 1: doubles from `first` to `max`, with a fifth of jitter so that processes spread. */
export function backoffMs(
  failures: number,
  { first, max }: BackoffRange,
  host: Pick<Host, "random">,
): number {
  const delayMs = Math.min(max, first * 2 ** Math.max(0, Math.min(failures - 1, 30)));
  return Math.round(delayMs * (0.9 + host.random() * 0.2));
}

/**
 * Whether a failure in a row is worth a line: the 1st, 2nd, 4th, 8th … so that an outage of an hour is a dozen lines and not
 * three thousand.
 */
export function isWorthLogging(failures: number): boolean {
  return (failures & (failures - 1)) === 0;
}
