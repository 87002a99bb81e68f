import { PLENTY_RECORDS } from "../fetch-pauses.ts";

/** The parts of a fetch's answer that the next fetch depends on. */
export interface Fetched {
  readonly records: number;
  /** Those of the records whose topics are not read in a hurry. */
  readonly unhurriedRecords: number;
}

/** Interval at which topics that are not read in a hurry are asked for, as long as they bring little. */
const UNHURRIED_EVERY_MS = 200;

/**
 * The longest time that a broker holds a fetch for which it has nothing and that does not ask for everything;
 * data ends the wait at once. Partitions that it leaves out (paused ones (fact 9), or topics that are not
 * read in a hurry) are asked for by the next fetch at the earliest.
 */
const WAIT_FOR_SOME_MS = 250;

/** The longest that one of everything is held. */
const LONGEST_WAIT_MS = 5_000;

/**
 * The time that a broker may hold a fetch. A fetch of everything is held until the member's next heartbeat,
 * because heartbeats come from the loop that fetches. `heartbeatInMs` is negative when that is overdue.
 */
export function fetchWaitMs(asksForAll: boolean, heartbeatInMs: number): number {
  if (!asksForAll) return WAIT_FOR_SOME_MS;
  return Math.min(Math.max(heartbeatInMs, WAIT_FOR_SOME_MS), LONGEST_WAIT_MS);
}

/** When the next fetch from one broker starts, and what of. Pure: the times are given. */
export class FetchPace {
  readonly #pauseMs: () => number;
  #notBeforeMs = 0;
  #unhurriedNotBeforeMs = 0;
  #isFirst = true;

  /** `pauseMs`, the shortest time from one answer to the next request. */
  constructor(pauseMs: () => number) {
    this.#pauseMs = pauseMs;
  }

  /** Nothing was fetched yet: the connection is perhaps not open, and a fetch cannot be ended before it is. */
  get isFirst(): boolean {
    return this.#isFirst;
  }

  /** The wait before the next fetch. */
  waitMs(nowMs: number): number {
    return Math.max(0, this.#notBeforeMs - nowMs);
  }

  isUnhurriedDue(nowMs: number): boolean {
    return nowMs >= this.#unhurriedNotBeforeMs;
  }

  /** `askedAtMs`, when the fetch started; `withUnhurried`, whether it was of every topic. */
  fetched(
    { records, unhurriedRecords }: Fetched,
    { askedAtMs, nowMs, withUnhurried }: { askedAtMs: number; nowMs: number; withUnhurried: boolean },
  ): void {
    this.#isFirst = false;
    // An answer without records took the longest wait already.
    this.#notBeforeMs = records === 0 || records >= PLENTY_RECORDS ? 0 : nowMs + this.#pauseMs();
    if (withUnhurried)
      this.#unhurriedNotBeforeMs = unhurriedRecords >= PLENTY_RECORDS ? 0 : askedAtMs + UNHURRIED_EVERY_MS;
  }
}
