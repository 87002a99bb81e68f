// All endpoints of this process. A destination shard's attempts all happen here, so plain counts are exact. No timers and no clock
// in here, and every `nowMs` is of one that nobody sets: `sweep` is to be called ten times a second.
import type { AttemptOutcome } from "#contract";
import type { BreakerState } from "./breaker.ts";
import { Lane, MAX_WAIT_MS } from "./endpoint-queue.ts";
import { Pressure } from "./fair-share.ts";
import { Pace } from "./process-load.ts";
import type { DivertReason, LaneRequest } from "./request.ts";

/** Requests under way that keep a process busy; more of them only make each slower, and cost memory. */
const BUSY_IN_FLIGHT = 128;
/** A latency that is not the process's own. */
const SLOW_MS = 1_000;

export interface LanesOptions {
  /** An upper bound for each endpoint. */
  readonly maxInFlight: number;
  /** Requests that the process can hold at a time: above it, it reads no further. */
  readonly maxHeld: number;
  /** Ascending: the periods of an open breaker are the retry delays. */
  readonly retryDelaysMs: readonly number[];
}

export interface LanesListener {
  /** A probe has succeeded: what waits for the endpoint can be woken. */
  onRecovered(endpoint: string): void;
  /** A lane that turned requests away has room again. */
  onRoom(endpoint: string): void;
}

export interface RequestEnd {
  readonly durationMs: number;
  readonly nowMs: number;
}

export class Lanes {
  readonly #options: LanesOptions;
  readonly #lanes = new Map<string, Lane>();
  readonly #pressure: Pressure;
  readonly #pace = new Pace();
  #listener: LanesListener | undefined;
  #inFlight = 0;
  #waiting = 0;
  #retriesHeld = 0;
  constructor(options: LanesOptions) {
    this.#options = options;
    this.#pressure = new Pressure(options.maxHeld);
  }

  /** Requests under way. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Requests that wait for a place at their endpoint. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Endpoints that are known here right now. */
  get size(): number {
    return this.#lanes.size;
  }

  /** The process itself is what everything waits for. */
  get isBusy(): boolean {
    return this.#pace.isBusy;
  }

  /** Retries hold their share of the process; more of them had better stay on disk. */
  get isFullOfRetries(): boolean {
    return this.#retriesHeld >= this.#options.maxHeld / 4;
  }

  /**
   * The process has as much in hand as it will get done soon, and is itself what everything waits for: more had better stay on disk. What
   * waits too long for an endpoint is diverted; what waits for us would only be written and read once more.
   */
  get hasEnough(): boolean {
    return this.#pace.isEnough(this.#waiting);
  }

  /** There is one who is told. */
  listen(listener: LanesListener): void {
    this.#listener = listener;
  }

  /** How many lanes have their breaker in each state. */
  breakers(): Readonly<Record<BreakerState, number>> {
    const counts = { closed: 0, open: 0, half_open: 0 };
    for (const { breaker } of this.#lanes.values()) counts[breaker.state] += 1;
    return counts;
  }

  /** Starts the request, lets it wait for a place (in order, first attempts ahead of retries), or diverts it. */
  enter(request: LaneRequest, nowMs: number): void {
    if (request.isWithdrawn) {
      request.withdraw();
      return;
    }
    const lane = this.#lanes.get(request.endpoint) ?? this.#open(request.endpoint, nowMs);
    const permission = lane.breaker.permit(nowMs);
    const livedMs = this.#pace.livedMs(nowMs);
    if (permission === "go") this.#pass(lane, request, livedMs);
    else if (permission === "none") this.#refuse(lane, request);
    else {
      lane.probe = request;
      this.#start(lane, request, livedMs);
    }
  }

  /** To be called once for each request that was started. */
  ended(request: LaneRequest, outcome: AttemptOutcome, { durationMs, nowMs }: RequestEnd): void {
    const lane = this.#lanes.get(request.endpoint);
    if (lane === undefined) return;
    this.#inFlight -= 1;
    this.#pace.ended();
    lane.usedAtMs = nowMs;
    const livedMs = this.#pace.livedMs(nowMs);
    lane.ended(request, livedMs);
    this.#left(lane, request);
    if (lane.waiting > 0) this.#saturated(lane);
    lane.limiter.ended(outcome.kind === "retryable", durationMs, nowMs);
    const isRecovered = lane.learn(request, outcome, nowMs);
    if (lane.breaker.state === "open") this.#empty(lane);
    this.#fill(lane, livedMs);
    if (isRecovered) this.#listener?.onRecovered(lane.endpoint);
  }

  /**
   * How many more retries the endpoint takes right now without a divert; undefined while its breaker lets nothing through. New first
   * attempts are never behind them: they have a queue of their own.
   */
  room(endpoint: string): number | undefined {
    const lane = this.#lanes.get(endpoint);
    if (lane !== undefined && lane.breaker.state !== "closed") return undefined;
    if (this.hasEnough || this.isFullOfRetries) return 0;
    return lane?.roomForRetries() ?? 1;
  }

  /** Ends waits that took too long, tells of room, forgets what is idle. `isBusy`: the process has hardly a moment to itself. */
  sweep(nowMs: number, isBusy: boolean): void {
    this.#pace.sweep(nowMs, isBusy);
    for (const lane of this.#lanes.values()) {
      if (lane.waiting > 0) this.#expire(lane, this.#pace.livedMs(nowMs));
      if (lane.hasRoomToTell(nowMs)) this.#tellRoom(lane, nowMs);
      if (lane.isIdle(nowMs)) this.#lanes.delete(lane.endpoint);
    }
  }

  #open(endpoint: string, nowMs: number): Lane {
    const { maxInFlight, retryDelaysMs } = this.#options;
    const lane = new Lane({ endpoint, maxInFlight, retryDelaysMs, nowMs });
    this.#lanes.set(endpoint, lane);
    return lane;
  }

  #pass(lane: Lane, request: LaneRequest, livedMs: number): void {
    const canStart = lane.canStart(request);
    if (!canStart) this.#saturated(lane);
    if (this.#pressure.isCrowding(lane, livedMs, this.#pace.isBusy)) this.#turnAway(lane, request, "crowded");
    else if (canStart) this.#start(lane, request, livedMs);
    else this.#wait(lane, request, livedMs);
  }

  /** More places would help; not when it is the process that is slow with enough under way, and the endpoint is quick as far as can be told. */
  #saturated({ limiter }: Lane): void {
    const isOurs = this.#pace.isBusy && limiter.averageMs < SLOW_MS;
    if (!isOurs || this.#inFlight < BUSY_IN_FLIGHT) limiter.saturated(isOurs);
  }

  #start(lane: Lane, request: LaneRequest, livedMs: number): void {
    this.#counted(lane, request);
    this.#run(lane, request, livedMs);
  }

  #wait(lane: Lane, request: LaneRequest, livedMs: number): void {
    const refusal = lane.refusal(request, livedMs);
    if (refusal !== undefined) {
      this.#turnAway(lane, request, refusal);
      return;
    }
    this.#counted(lane, request);
    request.enteredAtMs = livedMs;
    this.#waiting += 1;
    (request.isRetry ? lane.retries : lane.firsts).push(request);
  }

  #run(lane: Lane, request: LaneRequest, livedMs: number): void {
    lane.started(request, livedMs);
    this.#inFlight += 1;
    request.start();
  }

  #fill(lane: Lane, livedMs: number): void {
    for (let next = lane.takeNext(); next !== undefined; next = lane.takeNext()) {
      this.#waiting -= 1;
      if (next.isWithdrawn) this.#withdraw(lane, next);
      else this.#run(lane, next, livedMs);
    }
  }

  #withdraw(lane: Lane, request: LaneRequest): void {
    this.#left(lane, request);
    request.withdraw();
  }

  /** The breaker has opened: nobody needs to wait for it. */
  #empty(lane: Lane): void {
    for (const queue of [lane.firsts, lane.retries]) {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        this.#waiting -= 1;
        this.#left(lane, next);
        this.#refuse(lane, next);
      }
    }
  }

  #expire(lane: Lane, livedMs: number): void {
    for (const queue of [lane.firsts, lane.retries]) {
      while (queue.head !== undefined && livedMs - queue.head.enteredAtMs >= MAX_WAIT_MS) {
        const head = queue.shift();
        if (head === undefined) break;
        this.#waiting -= 1;
        this.#left(lane, head);
        this.#turnAway(lane, head, head.isRetry ? "retry_share" : "queue_slow");
      }
    }
  }

  #tellRoom(lane: Lane, nowMs: number): void {
    lane.roomIsTold(nowMs);
    this.#listener?.onRoom(lane.endpoint);
  }

  /** Its breaker is open. */
  #refuse({ breaker }: Lane, request: LaneRequest): void {
    if (breaker.isPaused) request.divert("paused", breaker.untilMs);
    else request.divert("breaker_open", undefined);
  }

  /** For want of room. */
  #turnAway(lane: Lane, request: LaneRequest, reason: DivertReason): void {
    lane.hasTurnedAway = true;
    request.divert(reason, undefined);
  }

  /** Before the lane counts it. */
  #counted(lane: Lane, { isRetry }: LaneRequest): void {
    this.#pressure.enter(lane.held === 0);
    if (isRetry) this.#retriesHeld += 1;
  }

  /** After the lane has counted it out. */
  #left(lane: Lane, { isRetry }: LaneRequest): void {
    this.#pressure.leave(lane.held === 0);
    if (isRetry) this.#retriesHeld -= 1;
  }
}
