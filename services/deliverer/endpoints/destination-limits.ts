import { DestinationLimit, type Quota } from "./destination-limit.ts";
import type { EndpointQueues } from "./endpoint-queues.ts";
import type { EndpointRequest } from "./request.ts";

/** A request of a destination that may have limits of its own. */
export interface LimitedRequest extends EndpointRequest {
  readonly destinationId: string;
  readonly quota: Quota | undefined;
}

/** A limit may have this many times the room that all of them together have left: one alone most of it, and none fills it. */
const SHARE_OF_REST = 4;

export interface DestinationLimitsOptions {
  readonly queues: Pick<EndpointQueues, "enter" | "ended" | "room" | "turnedAway">;
  /** Requests that may wait at all limits together: they take room of the process that no queue of an endpoint counts. */
  readonly maxWaiting: number;
  /** Asks for `tick`, some milliseconds from now; while somebody waits. */
  wantTick(): void;
}

/**
 * The limits that a request passes before it enters its endpoint's queue. Destinations without limits pass
 * by.
 */
export class DestinationLimits {
  readonly ended: EndpointQueues["ended"];
  readonly #options: DestinationLimitsOptions;
  readonly #limits = new Map<string, DestinationLimit>();
  /** Limits by destination where somebody waits. */
  readonly #queued = new Map<string, DestinationLimit>();
  /** Requests that wait at all limits together. */
  #waiting = 0;
  #isTickWanted = false;

  constructor(options: DestinationLimitsOptions) {
    this.#options = options;
    this.ended = (request, outcome, end) => options.queues.ended(request, outcome, end);
  }

  /** Destinations with limits that are known here right now. */
  get size(): number {
    return this.#limits.size;
  }

  enter(request: LimitedRequest, nowMs: number): void {
    const { queues } = this.#options;
    // A breaker that is not closed lets only a probe through, which is worth no turn.
    if (request.quota === undefined || queues.room(request.endpoint) === undefined)
      queues.enter(request, nowMs);
    else this.#pass(this.#limitOf(request.destinationId, request.quota), request, nowMs);
  }

  /** One of its waiting calls may be taken ahead of its time: the destination's limits, as they are configured now, let it through soon. */
  hasTurn(destinationId: string, quota: Quota | undefined, nowMs: number): boolean {
    const limit = this.#limits.get(destinationId);
    if (limit === undefined || quota === undefined) return true;
    limit.change(quota);
    return limit.hasTurn(nowMs) && this.#hasRoom(limit);
  }

  /** Lets those through whose turn it is. */
  tick(nowMs: number): void {
    this.#isTickWanted = false;
    for (const [destinationId, limit] of this.#queued) {
      this.#letWithdrawn(limit);
      this.#expire(limit, nowMs);
      while (limit.waiting.length > 0 && limit.isOpen(nowMs)) {
        const next = limit.waiting.shift();
        if (next !== undefined) this.#let(limit, next, nowMs);
      }
      if (limit.waiting.length === 0) this.#queued.delete(destinationId);
    }
    this.#waiting = [...this.#queued.values()].reduce((sum, { waiting }) => sum + waiting.length, 0);
    if (this.#queued.size > 0) this.#wantTick();
  }

  /** Forgets what is idle. */
  sweep(nowMs: number): void {
    for (const [destinationId, limit] of this.#limits) {
      if (limit.isIdle(nowMs)) this.#limits.delete(destinationId);
    }
  }

  #limitOf(destinationId: string, quota: Quota): DestinationLimit {
    const known = this.#limits.get(destinationId);
    if (known !== undefined) {
      known.change(quota);
      return known;
    }
    const limit = new DestinationLimit(quota);
    this.#limits.set(destinationId, limit);
    return limit;
  }

  #pass(limit: DestinationLimit, request: LimitedRequest, nowMs: number): void {
    if (limit.waiting.length === 0 && limit.isOpen(nowMs)) this.#let(limit, request, nowMs);
    else if (limit.mayWait(nowMs) && this.#hasRoom(limit)) {
      request.enteredAtMs = nowMs;
      limit.waiting.push(request);
      this.#waiting += 1;
      this.#queued.set(request.destinationId, limit);
      this.#wantTick();
    } else {
      this.#divert(limit, request, nowMs);
    }
  }

  /** It comes out of its retry topic in a wave with others, of which the limit takes two seconds' worth: the rest of the time passes bring calls. */
  #divert(limit: DestinationLimit, request: EndpointRequest, nowMs: number): void {
    this.#options.queues.turnedAway(request.endpoint);
    request.divert("rate_limited", limit.laterMs(nowMs));
  }

  #hasRoom({ waiting }: DestinationLimit): boolean {
    return waiting.length < SHARE_OF_REST * (this.#options.maxWaiting - this.#waiting);
  }

  #let(limit: DestinationLimit, request: EndpointRequest, nowMs: number): void {
    limit.let(nowMs);
    request.limit = limit;
    this.#options.queues.enter(request, nowMs);
  }

  /**
   * Withdraws at once, before their turns: their jobs are read again, and must not find others of their user
   * in front of them.
   */
  #letWithdrawn({ waiting }: DestinationLimit): void {
    while (waiting.head?.isWithdrawn === true) waiting.shift()?.withdraw();
  }

  #expire(limit: DestinationLimit, nowMs: number): void {
    for (let next = limit.takeExpired(nowMs); next !== undefined; next = limit.takeExpired(nowMs)) {
      this.#divert(limit, next, nowMs);
    }
  }

  #wantTick(): void {
    if (this.#isTickWanted) return;
    this.#isTickWanted = true;
    this.#options.wantTick();
  }
}
