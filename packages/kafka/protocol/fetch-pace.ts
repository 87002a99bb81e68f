import { PLENTY_RECORDS } from "../fetch-pauses.ts";

/** What a fetch brought, as far as the next one depends on it. */
export interface Fetched {
  readonly records: number;
  /** Of those, the ones of topics that are not read in a hurry. */
  readonly unhurriedRecords: number;
}

/** How long topics that are not read in a hurry are left out, as long as they bring little. */
const UNHURRIED_EVERY_MS = 200;

/**
 * How long a broker holds a fetch for which it has nothing and that does not ask for everything; data ends the wait at once. What it leaves
 * out, a paused partition (fact 9) or topics that are not read in a hurry, is asked for by the next one at the earliest.
 */
const WAIT_FOR_SOME_MS = 250;

/** The longest that one of everything is held. */
const LONGEST_WAIT_MS = 5_000;

/**
 * How long a broker may hold a fetch: one of everything until the member has to say that it is there, because heartbeats come from the
 * loop that fetches. `heartbeatInMs` is negative when that is overdue.
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

  /** How long to wait with the next fetch. */
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
