// Decides which requests get a record of their own. Failures do, up to a bound that keeps an endpoint which
// fails a thousand times a second from doubling the load; of the successes a sample does. The totals count
// them all.

/** Bounds per second, for one process. */
export interface SamplingBounds {
  /** Failures of one destination. */
  readonly failures: number;
  /** Successes of all destinations together; Infinity records every one. */
  readonly successes: number;
}

/** Values of HOOKLINE_RECORDED_ATTEMPTS. */
export const RECORDED_ATTEMPTS = ["sample", "all"] as const;

export const SAMPLING_BOUNDS: Readonly<Record<(typeof RECORDED_ATTEMPTS)[number], SamplingBounds>> = {
  sample: { failures: 50, successes: 200 },
  all: { failures: Number.POSITIVE_INFINITY, successes: Number.POSITIVE_INFINITY },
};

/** Of one destination's successes one a second is recorded, and so many more after a quiet time: whoever sends a few finds each of them. */
const QUIET = { successes: 60, everyMs: 1_000 };

interface State {
  /**
   * The last record was a failure, maybe one of another process. A success after it is never left out: a
   * destination's health is read from the records.
   */
  failedLast: boolean;
  /** The second that `failures` counts. */
  second: number;
  failures: number;
  suppressed: number;
  /** When all that were recorded would have been, one a second: at most a minute ahead. */
  sampledUntilMs: number;
}

export class Sampling {
  readonly #bounds: SamplingBounds;
  readonly #maxDestinations: number;
  readonly #states = new Map<string, State>();
  #second = 0;
  #successes = 0;

  constructor(bounds: SamplingBounds, maxDestinations: number) {
    this.#bounds = bounds;
    this.#maxDestinations = maxDestinations;
  }

  /** Whether this success is recorded: the first after a recorded failure always, and the first of all. */
  success(destinationId: string, atMs: number): boolean {
    if (this.#bounds.successes === Number.POSITIVE_INFINITY) return true;
    const state = this.#states.get(destinationId) ?? this.#add(destinationId);
    if (state.failedLast) {
      state.failedLast = false;
      return true;
    }
    const untilMs = nextUntil(state.sampledUntilMs, atMs);
    if (untilMs === undefined) return false;
    const second = Math.floor(atMs / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#successes = 0;
    }
    if (this.#successes >= this.#bounds.successes) return false;
    this.#successes += 1;
    state.sampledUntilMs = untilMs;
    return true;
  }

  /** Undefined: it is not recorded. Else how many of the destination's were left out since its last record. */
  failure(destinationId: string, atMs: number): number | undefined {
    const state = this.#states.get(destinationId) ?? this.#add(destinationId);
    const second = Math.floor(atMs / 1_000);
    if (second !== state.second) {
      state.second = second;
      state.failures = 0;
    }
    if (state.failures >= this.#bounds.failures) {
      state.suppressed += 1;
      return undefined;
    }
    state.failures += 1;
    return this.#recorded(state);
  }

  /** The last failure that was left out is recorded after all, as the one that says how it stands: gives how many others were. */
  lateFailure(destinationId: string): number {
    const state = this.#states.get(destinationId) ?? this.#add(destinationId);
    return Math.max(0, this.#recorded(state) - 1);
  }

  #recorded(state: State): number {
    const { suppressed } = state;
    state.suppressed = 0;
    state.failedLast = true;
    return suppressed;
  }

  /**
   * Over the bound the longest known is forgotten. From then on nobody's first success has a record for sure: of more destinations
   * than are held every request would be a first one.
   */
  #add(destinationId: string): State {
    const [oldest] = this.#states.size < this.#maxDestinations ? [] : this.#states.keys();
    if (oldest !== undefined) this.#states.delete(oldest);
    const state = {
      failedLast: oldest === undefined,
      second: 0,
      failures: 0,
      suppressed: 0,
      sampledUntilMs: Number.NEGATIVE_INFINITY,
    };
    this.#states.set(destinationId, state);
    return state;
  }
}

/** Undefined where a destination has had its share. */
function nextUntil(untilMs: number, atMs: number): number | undefined {
  const mostMs = QUIET.successes * QUIET.everyMs;
  // More than a minute ahead is from before a clock was set back.
  const fromMs = untilMs - atMs > mostMs ? atMs : Math.max(untilMs, atMs);
  const nextMs = fromMs + QUIET.everyMs;
  return nextMs - atMs > mostMs ? undefined : nextMs;
}
