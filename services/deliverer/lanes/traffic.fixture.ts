// Endpoints and their traffic under a moved clock: requests go into the lanes, and come out as the endpoints let them.
import type { AttemptOutcome } from "#contract";
import type { Quota } from "./gate.ts";
import { type GatedRequest, Gates } from "./gates.ts";
import { Lanes, type LanesOptions } from "./lanes.ts";
import type { DivertReason } from "./request.ts";

export const PERIODS_MS = [10_000, 60_000, 300_000];
const DEADLINE_MS = 5_000;
const SWEEP_EVERY_MS = 100;
const TICK_AFTER_MS = 5;

/** What an endpoint does with a request that reaches it now. */
export type Endpoint = (nowMs: number) => { readonly afterMs: number; readonly outcome: AttemptOutcome };

const OK: AttemptOutcome = { kind: "success", status: 200 };

export const answering =
  (afterMs: number, outcome: AttemptOutcome = OK): Endpoint =>
  () => ({ afterMs, outcome });

export const hanging = answering(DEADLINE_MS, { kind: "retryable", reason: "timeout" });
export const failing = answering(5, { kind: "retryable", reason: "http_5xx", status: 500 });

/** What became of one request. */
export interface Fate {
  readonly endpoint: string;
  readonly isRetry: boolean;
  readonly enteredAtMs: number;
  startedAtMs?: number;
  endedAtMs?: number;
  outcome?: AttemptOutcome;
  diverted?: DivertReason;
  divertedAtMs?: number;
  notBeforeMs?: number | undefined;
  withdrawnAtMs?: number;
}

/** Runs what is put into it in the order of its time, and a sweep now and then. */
function createAgenda(sweep: (nowMs: number) => void) {
  const events: { atMs: number; run(): void }[] = [];
  let nowMs = 1_000_000;
  let sweepAtMs = nowMs + SWEEP_EVERY_MS;
  return {
    now: () => nowMs,
    at(atMs: number, run: () => void): void {
      let place = events.length;
      while (place > 0 && (events[place - 1]?.atMs ?? 0) > atMs) place -= 1;
      events.splice(place, 0, { atMs, run });
    },
    run(forMs: number): void {
      const untilMs = nowMs + forMs;
      for (;;) {
        const atMs = Math.min(events[0]?.atMs ?? Number.POSITIVE_INFINITY, sweepAtMs);
        if (atMs > untilMs) break;
        nowMs = atMs;
        if (atMs < sweepAtMs) {
          events.shift()?.run();
        } else {
          sweep(nowMs);
          sweepAtMs += SWEEP_EVERY_MS;
        }
      }
      nowMs = untilMs;
    },
  };
}

type Agenda = ReturnType<typeof createAgenda>;

interface Ways {
  readonly lanes: Lanes;
  readonly agenda: Agenda;
  readonly quota: Quota | undefined;
  isWithdrawn(): boolean;
}

/** A request whose ways are written into its fate. */
function requestOf(
  fate: Fate,
  endpoint: Endpoint,
  { agenda, isWithdrawn, lanes, quota }: Ways,
): GatedRequest {
  const request: GatedRequest = {
    endpoint: fate.endpoint,
    isRetry: fate.isRetry,
    destinationId: fate.endpoint,
    quota,
    next: undefined,
    gate: undefined,
    enteredAtMs: 0,
    get isWithdrawn() {
      return isWithdrawn();
    },
    withdraw() {
      request.gate?.left();
      fate.withdrawnAtMs = agenda.now();
    },
    start() {
      fate.startedAtMs = agenda.now();
      const { afterMs, outcome } = endpoint(agenda.now());
      agenda.at(agenda.now() + afterMs, () => {
        fate.endedAtMs = agenda.now();
        fate.outcome = outcome;
        request.gate?.left();
        lanes.ended(request, outcome, { durationMs: afterMs, nowMs: agenda.now() });
      });
    },
    divert(reason, notBeforeMs) {
      if (request.isWithdrawn) return request.withdraw();
      request.gate?.left();
      fate.diverted = reason;
      fate.divertedAtMs = agenda.now();
      fate.notBeforeMs = notBeforeMs;
    },
  };
  return request;
}

export function createTraffic(options: Partial<LanesOptions> = {}) {
  const lanes = new Lanes({ maxInFlight: 256, maxHeld: 2_000, retryDelaysMs: PERIODS_MS, ...options });
  const gates: Gates = new Gates({
    lanes,
    wantTick: () => agenda.at(agenda.now() + TICK_AFTER_MS, () => gates.tick(agenda.now())),
  });
  const process = { isBusy: false, isGone: false };
  const agenda = createAgenda((nowMs) => {
    lanes.sweep(nowMs, process.isBusy);
    gates.sweep(nowMs);
  });
  /** By endpoint; each is one destination's here. */
  const quotas = new Map<string, Quota>();
  const endpoints = new Map<string, Endpoint>();
  const fates: Fate[] = [];
  const told: string[] = [];
  let mostHeld = 0;
  lanes.listen({
    onRecovered: (endpoint) => told.push(`${endpoint} recovered`),
    onRoom: (endpoint) => told.push(`${endpoint} room`),
  });

  function send(endpoint: string, { isRetry = false } = {}): Fate {
    const fate: Fate = { endpoint, isRetry, enteredAtMs: agenda.now() };
    fates.push(fate);
    const behaviour: Endpoint = (nowMs) => (endpoints.get(endpoint) ?? answering(5))(nowMs);
    const quota = quotas.get(endpoint);
    const ways = { lanes, agenda, quota, isWithdrawn: () => process.isGone };
    gates.enter(requestOf(fate, behaviour, ways), agenda.now());
    mostHeld = Math.max(mostHeld, lanes.inFlight + lanes.waiting);
    return fate;
  }

  /** `perSecond` requests to the endpoint, evenly, for so long. */
  function flow(endpoint: string, perSecond: number, forMs: number, isRetry = false): void {
    const startMs = agenda.now();
    const next = (count: number) => {
      const atMs = startMs + (count * 1_000) / perSecond;
      if (atMs >= startMs + forMs) return;
      agenda.at(atMs, () => {
        send(endpoint, { isRetry });
        next(count + 1);
      });
    };
    next(0);
  }

  const of = (endpoint: string) => fates.filter((fate) => fate.endpoint === endpoint);
  const { now, run } = agenda;
  return {
    process,
    lanes,
    gates,
    quotas,
    endpoints,
    fates,
    told,
    send,
    flow,
    run,
    now,
    mostHeld: () => mostHeld,
    of,
  };
}
