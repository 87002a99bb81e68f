/**
 * The requests to one endpoint, a bounded number of them at a time. Circuit breakers, adaptive limits and diversion
 * belong here: everything that goes to an endpoint passes its lane.
 */
interface Lane {
  inFlight: number;
  /** Starts of the requests that wait, oldest first. */
  readonly waiting: (() => void)[];
}

/** Starts a request; `done` is to be called once when it has ended. */
type Request = (done: () => void) => void;

/** All endpoints of this process. A destination shard's attempts all happen here, so a plain count is exact. */
export class Endpoints {
  readonly #lanes = new Map<string, Lane>();
  readonly #maxInFlight: number;
  #isHeld = false;
  #inFlight = 0;
  #waiting = 0;

  constructor(maxInFlightPerEndpoint: number) {
    this.#maxInFlight = maxInFlightPerEndpoint;
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Requests that wait for a place at their endpoint. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Starts `request` as soon as the endpoint has a place; in order for each endpoint. */
  start(endpoint: string, request: Request): void {
    const lane = this.#lane(endpoint);
    if (lane.inFlight < this.#maxInFlight && !this.#isHeld) {
      this.#run(endpoint, lane, request);
      return;
    }
    this.#waiting += 1;
    lane.waiting.push(() => {
      this.#waiting -= 1;
      this.#run(endpoint, lane, request);
    });
  }

  /** Starts nothing any more: the process ends, and what waits here is still on disk, uncommitted, for the next owner. */
  hold(): void {
    this.#isHeld = true;
  }

  #lane(endpoint: string): Lane {
    const known = this.#lanes.get(endpoint);
    if (known !== undefined) return known;
    const lane: Lane = { inFlight: 0, waiting: [] };
    this.#lanes.set(endpoint, lane);
    return lane;
  }

  #run(endpoint: string, lane: Lane, request: Request): void {
    lane.inFlight += 1;
    this.#inFlight += 1;
    request(() => {
      lane.inFlight -= 1;
      this.#inFlight -= 1;
      if (!this.#isHeld) lane.waiting.shift()?.();
      if (lane.inFlight === 0) this.#lanes.delete(endpoint);
    });
  }
}
