// Decides which requests get a record of their own. Failures do, up to a bound that keeps an endpoint which
// fails a thousand times a second from doubling the load; of the successes a sample does. The totals count
// them all.

/** Bounds per second, for one process. */
export interface SamplingBounds {
  /** Failures of one destination. */
  readonly failures: number;
  /** Successes of all destinations together, of which each gives at most one; Infinity records every one. */
  readonly successes: number;
}

/** Values of HOOKLINE_RECORDED_ATTEMPTS. */
export const RECORDED_ATTEMPTS = ["sample", "all"] as const;

export const SAMPLING_BOUNDS: Readonly<Record<(typeof RECORDED_ATTEMPTS)[number], SamplingBounds>> = {
  sample: { failures: 50, successes: 200 },
  all: { failures: Number.POSITIVE_INFINITY, successes: Number.POSITIVE_INFINITY },
};

interface State {
  /**
   * The last record was a failure. A success after it is never left out: a destination's health is read from
   * the records.
   */
  failedLast: boolean;
  /** The second that `failures` counts. */
  second: number;
  failures: number;
  suppressed: number;
  sampledAtMs: number;
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

  /** Whether this success is recorded: the first after a recorded failure always, else at most one a second and destination. */
  success(destinationId: string, atMs: number): boolean {
    if (this.#bounds.successes === Number.POSITIVE_INFINITY) return true;
    const state = this.#states.get(destinationId) ?? this.#add(destinationId);
    if (state.failedLast) {
      state.failedLast = false;
      state.sampledAtMs = atMs;
      return true;
    }
    // The distance counts in both directions: after a clock was set back, the last sample is in the future.
    if (Math.abs(atMs - state.sampledAtMs) < 1_000) return false;
    const second = Math.floor(atMs / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#successes = 0;
    }
    if (this.#successes >= this.#bounds.successes) return false;
    this.#successes += 1;
    state.sampledAtMs = atMs;
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

  /** Over the bound the longest known is forgotten; its next request is judged as its first. */
  #add(destinationId: string): State {
    if (this.#states.size >= this.#maxDestinations) {
      for (const oldest of this.#states.keys()) {
        this.#states.delete(oldest);
        break;
      }
    }
    const state = {
      failedLast: false,
      second: 0,
      failures: 0,
      suppressed: 0,
      sampledAtMs: Number.NEGATIVE_INFINITY,
    };
    this.#states.set(destinationId, state);
    return state;
  }
}
