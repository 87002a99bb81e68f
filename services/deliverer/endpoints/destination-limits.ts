import { Gate, type Quota } from "./destination-limit.ts";
import type { Lanes } from "./endpoint-queues.ts";
import type { LaneRequest } from "./request.ts";

/** A request of a destination that may have limits of its own. */
export interface GatedRequest extends LaneRequest {
  readonly destinationId: string;
  readonly quota: Quota | undefined;
}

export interface GatesOptions {
  readonly lanes: Pick<Lanes, "enter" | "ended" | "room">;
  /** Asks for `tick`, some milliseconds from now; while somebody waits. */
  wantTick(): void;
}

/** The way into the lanes. Destinations without limits pass by. */
export class Gates {
  readonly ended: Lanes["ended"];
  readonly #options: GatesOptions;
  readonly #gates = new Map<string, Gate>();
  /** By destination, those where somebody waits. */
  readonly #queued = new Map<string, Gate>();
  #isTickWanted = false;

  constructor(options: GatesOptions) {
    this.#options = options;
    this.ended = (request, outcome, end) => options.lanes.ended(request, outcome, end);
  }

  /** Destinations with limits that are known here right now. */
  get size(): number {
    return this.#gates.size;
  }

  enter(request: GatedRequest, nowMs: number): void {
    const { lanes } = this.#options;
    // Without a closed breaker nothing but a probe comes of it, which is worth no turn.
    if (request.quota === undefined || lanes.room(request.endpoint) === undefined)
      lanes.enter(request, nowMs);
    else this.#pass(this.#gateOf(request.destinationId, request.quota), request, nowMs);
  }

  /** Lets those through whose turn it is. */
  tick(nowMs: number): void {
    this.#isTickWanted = false;
    for (const [destinationId, gate] of this.#queued) {
      this.#letWithdrawn(gate);
      this.#expire(gate, nowMs);
      while (gate.waiting.length > 0 && gate.isOpen(nowMs)) {
        const next = gate.waiting.shift();
        if (next !== undefined) this.#let(gate, next, nowMs);
      }
      if (gate.waiting.length === 0) this.#queued.delete(destinationId);
    }
    if (this.#queued.size > 0) this.#wantTick();
  }

  /** Forgets what is idle. */
  sweep(nowMs: number): void {
    for (const [destinationId, gate] of this.#gates) {
      if (gate.isIdle(nowMs)) this.#gates.delete(destinationId);
    }
  }

  #gateOf(destinationId: string, quota: Quota): Gate {
    const known = this.#gates.get(destinationId);
    if (known !== undefined) {
      known.quota = quota;
      return known;
    }
    const gate = new Gate(quota);
    this.#gates.set(destinationId, gate);
    return gate;
  }

  #pass(gate: Gate, request: GatedRequest, nowMs: number): void {
    if (gate.waiting.length === 0 && gate.isOpen(nowMs)) this.#let(gate, request, nowMs);
    else if (gate.mayWait(nowMs)) {
      request.enteredAtMs = nowMs;
      gate.waiting.push(request);
      this.#queued.set(request.destinationId, gate);
      this.#wantTick();
    } else {
      request.divert("rate_limited", gate.laterMs(nowMs));
    }
  }

  #let(gate: Gate, request: LaneRequest, nowMs: number): void {
    gate.let(nowMs);
    request.gate = gate;
    this.#options.lanes.enter(request, nowMs);
  }

  /** At once, before their turns: their jobs are read again, and must not find others of their user in front of them. */
  #letWithdrawn({ waiting }: Gate): void {
    while (waiting.head?.isWithdrawn === true) waiting.shift()?.withdraw();
  }

  #expire(gate: Gate, nowMs: number): void {
    for (let next = gate.takeExpired(nowMs); next !== undefined; next = gate.takeExpired(nowMs)) {
      next.divert("rate_limited", gate.laterMs(nowMs));
    }
  }

  #wantTick(): void {
    if (this.#isTickWanted) return;
    this.#isTickWanted = true;
    this.#options.wantTick();
  }
}
