// Which record counts at what time in an index: calls and requests themselves at new times, roll-ups of hours before, of days before these. No time has two, so nothing is counted
// twice, and no hole. Pure.
import { UNITS_MS } from "#contract";

const { d: DAY_MS, h: HOUR_MS, m: MINUTE_MS } = UNITS_MS;

export const STEP_MS = { minute: MINUTE_MS, hour: HOUR_MS, day: DAY_MS } as const;

/** Minutes are rolled up into their hour after so long, hours into their day: a query of the last two days, or thirty, finds whole steps. */
export const STEP_KEPT_MS = { minute: 2 * DAY_MS + HOUR_MS, hour: 31 * DAY_MS } as const;

/** Topics reach back seven days when an index is created; half of one is for reading them. */
const COUNTED_AGAIN_MS = 6.5 * DAY_MS;
/** An index that was not used for so long is made again: topics may have dropped what it has not read. */
export const UNUSED_MS = 6 * DAY_MS;

export interface Eras {
  /** Hours count from here on, days before. */
  readonly hoursFromMs: number;
  /** Calls and requests count from here on, hours before. */
  readonly minutesFromMs: number;
}

/** Of an index that was created then, whenever it is asked. */
export function erasOf(createdMs: number): Eras {
  return {
    hoursFromMs: floorTo(createdMs - STEP_KEPT_MS.hour, DAY_MS) + DAY_MS,
    minutesFromMs: floorTo(createdMs - COUNTED_AGAIN_MS, HOUR_MS) + HOUR_MS,
  };
}

/** Whether a roll-up of another time, or of another process, is what an index counts. */
export function isCounted({ hoursFromMs, minutesFromMs }: Eras, stepMs: number, atMs: number): boolean {
  return stepMs === DAY_MS ? atMs < hoursFromMs : atMs >= hoursFromMs && atMs < minutesFromMs;
}

export function floorTo(atMs: number, stepMs: number): number {
  return Math.floor(atMs / stepMs) * stepMs;
}
