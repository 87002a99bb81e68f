// All endpoints of this process. One process makes all attempts of a destination's shard, so plain counts are exact. This file has no timer
// and no clock: its owner calls `sweep` ten times a second, and every `nowMs` comes from a clock that nobody sets.
import type { AttemptOutcome, DivertReason } from "#contract";
import type { BreakerState } from "./breaker.ts";
import { EndpointQueue, MAX_WAIT_MS } from "./endpoint-queue.ts";
import { HeldRequests } from "./held-requests.ts";
import type { BreakerStanding, EndpointQueuesListener, EndpointQueuesOptions, RequestEnd } from "./parts.ts";
import { ProcessLoad } from "./process-load.ts";
import type { EndpointRequest } from "./request.ts";

/** Requests under way that keep a process busy. More only make each slower, and cost memory. */
const BUSY_IN_FLIGHT = 128;
/** A latency that is not the process's own. */
const SLOW_MS = 1_000;

export class EndpointQueues {
  readonly #options: EndpointQueuesOptions;
  readonly #queues = new Map<string, EndpointQueue>();
  readonly #held: HeldRequests;
  readonly #load = new ProcessLoad();
  /** Endpoints whose breaker may stand otherwise than when it was taken last. */
  readonly #changedBreakers = new Set<string>();
  #listener: EndpointQueuesListener | undefined;

  constructor(options: EndpointQueuesOptions) {
    this.#options = options;
    this.#held = new HeldRequests(options.maxHeld);
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#held.inFlight;
  }

  /** Requests that wait for a place at their endpoint. */
  get waiting(): number {
    return this.#held.waiting;
  }

  /** Endpoints that are known here right now. */
  get size(): number {
    return this.#queues.size;
  }

  /** Everything waits for the process itself, and not for an endpoint. */
  get isBusy(): boolean {
    return this.#load.isBusy;
  }

  /** Retries hold their share of the process. More of them stay on disk. */
  get isFullOfRetries(): boolean {
    return this.#held.isFullOfRetries;
  }

  /**
   * Everything waits for the process itself, and it holds as much as it gets done soon. More stays on disk: a divert, which is right for a
   * call that waits too long for its endpoint, would only write and read it once more.
   */
  get hasEnough(): boolean {
    return this.#load.isEnough(this.#held.waiting);
  }

  /** There is one listener. */
  listen(listener: EndpointQueuesListener): void {
    this.#listener = listener;
  }

  /** Counts the queues by the state of their breaker. */
  breakers(): Readonly<Record<BreakerState, number>> {
    const counts = { closed: 0, open: 0, half_open: 0 };
    for (const { breaker } of this.#queues.values()) counts[breaker.state] += 1;
    return counts;
  }

  /**
   * Endpoints whose breaker may have changed since they were taken, at most `limit`; the others stay. Almost
   * none: a healthy endpoint is not among them.
   */
  takeChangedBreakers(limit: number): string[] {
    const taken = [...this.#changedBreakers].slice(0, limit);
    for (const endpoint of taken) this.#changedBreakers.delete(endpoint);
    return taken;
  }

  /** A closed one where the endpoint is not known, or forgotten. */
  breakerOf(endpoint: string): BreakerStanding {
    const { state = "closed", untilMs = 0 } = this.#queues.get(endpoint)?.breaker ?? {};
    return { state, untilMs };
  }

  /** Starts the request, lets it wait for a place (in order, first attempts ahead of retries), or diverts it. */
  enter(request: EndpointRequest, nowMs: number): void {
    if (request.isWithdrawn) {
      request.withdraw();
      return;
    }
    const queue = this.#queues.get(request.endpoint) ?? this.#open(request.endpoint, nowMs);
    const permission = queue.breaker.permit(nowMs);
    const livedMs = this.#load.livedMs(nowMs);
    if (permission === "go") this.#pass(queue, request, livedMs);
    else if (permission === "none") this.#refuse(queue, request);
    else {
      queue.probe = request;
      this.#changedBreakers.add(queue.endpoint);
      this.#held.start(queue, request, livedMs);
    }
  }

  /** Ends a request. Call it once for each request that was started. */
  ended(request: EndpointRequest, outcome: AttemptOutcome, { durationMs, nowMs }: RequestEnd): void {
    const queue = this.#queues.get(request.endpoint);
    if (queue === undefined) return;
    this.#load.ended();
    queue.usedAtMs = nowMs;
    const livedMs = this.#load.livedMs(nowMs);
    this.#held.ended(queue, request, livedMs);
    if (queue.waiting > 0) this.#saturated(queue);
    queue.limiter.ended(outcome.kind === "retryable", durationMs, nowMs);
    const wasClosed = queue.breaker.state === "closed";
    const isRecovered = queue.learn(request, outcome, nowMs);
    if (!wasClosed || queue.breaker.state !== "closed") this.#changedBreakers.add(queue.endpoint);
    if (queue.breaker.state === "open") this.#empty(queue);
    this.#fill(queue, livedMs);
    if (isRecovered) this.#listener?.onRecovered(queue.endpoint);
  }

  /** A limit of a destination has turned a request away: the endpoint itself may have room for it. */
  turnedAway(endpoint: string): void {
    const queue = this.#queues.get(endpoint);
    if (queue !== undefined) queue.hasTurnedAway = true;
  }

  /**
   * The number of further retries that the endpoint takes right now without a divert. Undefined while its
   * breaker lets nothing through, one where a probe was asked for. First attempts never wait behind them:
   * they have a queue of their own.
   */
  room(endpoint: string): number | undefined {
    const queue = this.#queues.get(endpoint);
    if (queue !== undefined && queue.breaker.state !== "closed")
      return queue.breaker.isProbeAsked ? 1 : undefined;
    if (this.hasEnough || this.isFullOfRetries) return 0;
    return queue?.roomForRetries() ?? 1;
  }

  /**
   * Lets the endpoint's next call through, to see whether it is back. False: not now. It has asked for a
   * pause, or is being asked.
   */
  askForProbe(endpoint: string, nowMs: number): boolean {
    this.#changedBreakers.add(endpoint);
    return this.#queues.get(endpoint)?.breaker.askForProbe(nowMs) ?? true;
  }

  /** Ends waits that took too long, reports room, forgets idle queues. `isBusy`: the event loop has hardly a free moment. */
  sweep(nowMs: number, isBusy: boolean): void {
    this.#load.sweep(nowMs, isBusy);
    for (const queue of this.#queues.values()) {
      if (queue.waiting > 0) this.#letWithdrawn(queue);
      if (queue.waiting > 0) this.#expire(queue, this.#load.livedMs(nowMs));
      if (queue.hasRoomToTell(nowMs)) this.#tellRoom(queue, nowMs);
      if (queue.isIdle(nowMs)) this.#forget(queue);
    }
  }

  #forget({ breaker, endpoint }: EndpointQueue): void {
    this.#queues.delete(endpoint);
    if (breaker.state !== "closed") this.#changedBreakers.add(endpoint);
  }

  #open(endpoint: string, nowMs: number): EndpointQueue {
    const { maxInFlight, retryDelaysMs } = this.#options;
    const queue = new EndpointQueue({ endpoint, maxInFlight, retryDelaysMs, nowMs });
    this.#queues.set(endpoint, queue);
    return queue;
  }

  #pass(queue: EndpointQueue, request: EndpointRequest, livedMs: number): void {
    const canStart = queue.canStart(request);
    if (!canStart) this.#saturated(queue);
    if (this.#held.isCrowding(queue, livedMs, this.#load.isBusy)) this.#turnAway(queue, request, "crowded");
    else if (canStart) this.#held.start(queue, request, livedMs);
    else this.#wait(queue, request, livedMs);
  }

  /** More places would help, unless the process itself is slow: it has enough under way, and the endpoint seems quick. */
  #saturated({ limiter }: EndpointQueue): void {
    const isOurs = this.#load.isBusy && limiter.averageMs < SLOW_MS;
    if (!isOurs || this.#held.inFlight < BUSY_IN_FLIGHT) limiter.saturated(isOurs);
  }

  #wait(queue: EndpointQueue, request: EndpointRequest, livedMs: number): void {
    const refusal = queue.refusal(request, livedMs);
    if (refusal === undefined) this.#held.wait(queue, request, livedMs);
    else this.#turnAway(queue, request, refusal);
  }

  #fill(queue: EndpointQueue, livedMs: number): void {
    for (let next = this.#held.takeNext(queue); next !== undefined; next = this.#held.takeNext(queue)) {
      if (next.isWithdrawn) {
        this.#held.leave(queue, next);
        next.withdraw();
      } else this.#held.run(queue, next, livedMs);
    }
  }

  /**
   * Withdraws requests before their turns: a member that hands its partitions over waits for its jobs in
   * hand, and one webhook of a call may have its answer already.
   */
  #letWithdrawn(queue: EndpointQueue): void {
    const isWithdrawn = (request: EndpointRequest): boolean => request.isWithdrawn;
    this.#held.letGo(queue, isWithdrawn, (request) => request.withdraw());
  }

  /** The breaker has opened: nobody needs to wait for it. */
  #empty(queue: EndpointQueue): void {
    const isAny = (): boolean => true;
    this.#held.letGo(queue, isAny, (request) => this.#refuse(queue, request));
  }

  #expire(queue: EndpointQueue, livedMs: number): void {
    const hasWaited = ({ enteredAtMs }: EndpointRequest): boolean => livedMs - enteredAtMs >= MAX_WAIT_MS;
    this.#held.letGo(queue, hasWaited, (request) =>
      this.#turnAway(queue, request, request.isRetry ? "retry_share" : "queue_slow"),
    );
  }

  #tellRoom(queue: EndpointQueue, nowMs: number): void {
    queue.roomIsTold(nowMs);
    this.#listener?.onRoom(queue.endpoint);
  }

  /** Diverts a request because the breaker is open. */
  #refuse({ breaker }: EndpointQueue, request: EndpointRequest): void {
    if (breaker.isPaused) request.divert("paused", breaker.untilMs);
    else request.divert("breaker_open", undefined);
  }

  /** Diverts a request for want of room. */
  #turnAway(queue: EndpointQueue, request: EndpointRequest, reason: DivertReason): void {
    queue.hasTurnedAway = true;
    request.divert(reason, undefined);
  }
}
