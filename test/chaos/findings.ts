// What the faults cost, from the ledger of a run: duplicates, takeovers, order. Pure.
import { BEHAVIOURS, type Behaviour } from "./behaviours.ts";
import { describeEvent } from "./events.ts";
import type { Attempt, Disturbance, Ledger, SentCall } from "./ledger.ts";
import { trace } from "./oracle.ts";

/** How long after its end an event can still show: a session's end, a rebalance, a response's deadline, a retry delay. */
const REACH_MS = 20_000;
/** So long after it is back a process may not know that it lost its partitions; later it has been given others. */
const UNAWARE_MS = 5_000;
/** What a process does is in the ledger so long after what befell it, at most. */
const REPORTED_WITHIN_MS = 500;

const ALWAYS_TAKEN: ReadonlySet<string> = new Set(
  (BEHAVIOURS as readonly Behaviour[]).filter(({ takesAlways }) => takesAlways).map(({ name }) => name),
);

export interface Spread {
  readonly count: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export function spreadOf(valuesMs: readonly number[]): Spread {
  const sorted = valuesMs.toSorted((a, b) => a - b);
  const at = (part: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
  return { count: sorted.length, medianMs: at(0.5), p99Ms: at(0.99), maxMs: sorted.at(-1) ?? 0 };
}

/** The event that a moment lies in or shortly after; of several the one that began last. */
function eventNear(disturbances: readonly Disturbance[], atMs: number): Disturbance | undefined {
  return disturbances
    .filter(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs + REACH_MS)
    .reduce<Disturbance | undefined>(
      (latest, one) => (latest === undefined || one.fromMs > latest.fromMs ? one : latest),
      undefined,
    );
}

export interface Duplicates {
  /** Extra deliveries by the event that each lies near. */
  readonly byEvent: ReadonlyMap<string, number>;
  readonly farFromEvents: number;
  /** By another process than the first delivery's. */
  readonly byAnotherProcess: number;
  /** From the first to the last delivery of a call. */
  readonly spread: Spread;
}

export function duplicatesOf(ledger: Ledger): Duplicates {
  const byEvent = new Map<string, number>();
  const spreadsMs: number[] = [];
  let farFromEvents = 0;
  let byAnotherProcess = 0;
  for (const { taken } of trace(ledger).passages) {
    const [first, ...extra] = taken;
    if (first === undefined || extra.length === 0) continue;
    spreadsMs.push((extra.at(-1)?.atMs ?? first.atMs) - first.atMs);
    for (const { atMs, process } of extra) {
      if (process !== first.process) byAnotherProcess += 1;
      const near = eventNear(ledger.disturbances, atMs);
      if (near === undefined) farFromEvents += 1;
      else {
        const kind = describeEvent(near.event).split(/,| for /)[0] ?? "";
        byEvent.set(kind, (byEvent.get(kind) ?? 0) + 1);
      }
    }
  }
  return { byEvent, farFromEvents, byAnotherProcess, spread: spreadOf(spreadsMs) };
}

/** One user at one destination: all first attempts of it go through one partition. */
function userKey({ call = -1, destination }: Attempt, users: ReadonlyMap<number, string>): string {
  return `${destination} ${users.get(call)}`;
}

function usersOf({ sent }: Ledger): Map<number, string> {
  return new Map(sent.map(({ call, user }) => [call, user]));
}

export interface Takeover {
  readonly what: string;
  /** Users whose calls the killed process had delivered lately. */
  readonly users: number;
  /** From the kill to the next delivery of a call of these users: the first user's, the middle one's, the last one's. */
  readonly firstMs: number;
  readonly medianMs: number;
  readonly lastMs: number;
}

/** A user that was served this long before the kill was the killed process's. */
const SERVED_LATELY_MS = 10_000;

function takeoverOf(
  { event, fromMs, process }: Disturbance,
  byUser: ReadonlyMap<string, Attempt[]>,
): Takeover {
  const waitsMs: number[] = [];
  for (const attempts of byUser.values()) {
    const last = attempts.findLast(({ atMs }) => atMs <= fromMs);
    if (last === undefined || last.process !== process || last.atMs < fromMs - SERVED_LATELY_MS) continue;
    const next = attempts.find((attempt) => attempt.atMs > fromMs && attempt.process !== process);
    if (next !== undefined) waitsMs.push(next.atMs - fromMs);
  }
  const { count, medianMs, maxMs } = spreadOf(waitsMs);
  const firstMs = waitsMs.reduce((least, waitMs) => Math.min(least, waitMs), maxMs);
  return { what: describeEvent(event), users: count, firstMs, medianMs, lastMs: maxMs };
}

/** How soon somebody else went on after each kill of a deliverer. */
export function takeoversOf(ledger: Ledger): Takeover[] {
  const users = usersOf(ledger);
  const attempts = ledger.attempts.filter(({ destination }) => ALWAYS_TAKEN.has(destination));
  const byUser = Map.groupBy(attempts, (attempt) => userKey(attempt, users));
  return ledger.disturbances
    .filter(({ event }) => event.kind === "kill" && event.target.service === "deliverer")
    .map((disturbance) => takeoverOf(disturbance, byUser));
}

export interface LateWork {
  /** Deliveries of a call by a process that was frozen or cut off, after another one had delivered it. */
  readonly deliveries: number;
  /** How long two processes were delivering the same call, at most. */
  readonly longestMs: number;
}

/**
 * Whether something befell the other one before it could say what it had done, or lasted: then its partitions are rightly worked on once more. Where the
 * registry is away for a start, the process is ended some time after that begins.
 */
function isSuccessor(attempt: Attempt, other: Attempt, disturbances: readonly Disturbance[]): boolean {
  return disturbances.some(
    ({ process, fromMs, toMs }) =>
      process === other.process && toMs >= other.atMs - REPORTED_WITHIN_MS && fromMs <= attempt.atMs,
  );
}

function lateWorkOf(
  { event, fromMs, toMs, process }: Disturbance,
  { byCall, disturbances }: { byCall: readonly Attempt[][]; disturbances: readonly Disturbance[] },
): number[] {
  // A frozen process does nothing: it is two of them only from its thaw on.
  const awakeFromMs = event.kind === "freeze" ? toMs : fromMs;
  return byCall.flatMap((attempts) =>
    attempts.flatMap((attempt) => {
      if (attempt.process !== process || attempt.atMs < awakeFromMs || attempt.atMs > toMs + UNAWARE_MS)
        return [];
      const other = attempts.find(
        (before) => before.process !== process && before.atMs >= fromMs && before.atMs < attempt.atMs,
      );
      if (other === undefined || isSuccessor(attempt, other, disturbances)) return [];
      return [attempt.atMs - Math.max(other.atMs, awakeFromMs)];
    }),
  );
}

/** What processes delivered that had lost their partitions without knowing. */
export function lateWork(ledger: Ledger): LateWork {
  const attempts = ledger.attempts.filter(({ destination }) => ALWAYS_TAKEN.has(destination));
  const groups = Map.groupBy(attempts, ({ call, destination }) => `${call} ${destination}`);
  const byCall = [...groups.values()].filter((group) => group.length > 1);
  const lateMs = ledger.disturbances
    .filter(({ event }) => event.kind === "freeze" || event.kind === "cut")
    .flatMap((disturbance) => lateWorkOf(disturbance, { byCall, disturbances: ledger.disturbances }));
  return { deliveries: lateMs.length, longestMs: spreadOf(lateMs).maxMs };
}

export interface Order {
  /** Pairs of calls of one user, one sent after the other was acknowledged, far from every event. */
  readonly pairs: number;
  /** Of these, those that came in the other order. */
  readonly inverted: readonly string[];
}

function firstAttempts(attempts: readonly Attempt[]): Map<string, number> {
  const firsts = new Map<string, number>();
  for (const { call, destination, atMs } of attempts) {
    const key = `${call} ${destination}`;
    firsts.set(key, Math.min(firsts.get(key) ?? atMs, atMs));
  }
  return firsts;
}

/** The order of first attempts where nothing happened. */
export function orderOf({ sent, attempts, disturbances }: Ledger): Order {
  const firsts = firstAttempts(attempts);
  const isQuiet = (atMs: number): boolean =>
    !disturbances.some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs + REACH_MS);
  let pairs = 0;
  const inverted: string[] = [];
  for (const calls of Map.groupBy(sent, ({ user }) => user).values()) {
    for (const [index, later] of calls.entries()) {
      const earlier = calls[index - 1];
      if (earlier?.acknowledgedAtMs === undefined || earlier.acknowledgedAtMs >= later.sentAtMs) continue;
      for (const destination of later.destinations.filter((name) => ALWAYS_TAKEN.has(name))) {
        const earlierAtMs = firsts.get(`${earlier.call} ${destination}`);
        const laterAtMs = firsts.get(`${later.call} ${destination}`);
        if (earlierAtMs === undefined || laterAtMs === undefined) continue;
        if (![earlier.sentAtMs, earlierAtMs, laterAtMs].every(isQuiet)) continue;
        pairs += 1;
        const timeOf = ({ call, sentAtMs }: SentCall, atMs: number): string =>
          `${call} sent at ${Math.round(sentAtMs)} ms, came at ${Math.round(atMs)} ms`;
        if (earlierAtMs > laterAtMs)
          inverted.push(`${destination}: ${timeOf(earlier, earlierAtMs)}; ${timeOf(later, laterAtMs)}`);
      }
    }
  }
  return { pairs, inverted };
}
