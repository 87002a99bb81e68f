const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
/** A service that ran this long was well: its next death counts as the first. */
const WELL_AFTER_MS = 60_000;

/** The wait before a service is started again. `deaths` counts from 1. */
export function restartDelayMs(deaths: number): number {
  return Math.min(FIRST_DELAY_MS * 2 ** (deaths - 1), MAX_DELAY_MS);
}

/** Deaths in a row, after one more that came when the service had run for `ranMs`. */
export function countDeaths(before: number, ranMs: number): number {
  return ranMs >= WELL_AFTER_MS ? 1 : before + 1;
}
