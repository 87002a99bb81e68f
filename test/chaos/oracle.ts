// Where every acknowledged call ended. Pure: a ledger in, an account out.
import { BEHAVIOURS, behaviourOf, type DestinationName } from "./behaviours.ts";
import { messageIdOf } from "./calls.ts";
import type { Attempt, DeadCall, Ledger, SentCall } from "./ledger.ts";

/** One call on its way to one destination. */
export interface Passage {
  readonly call: number;
  readonly destination: DestinationName;
  readonly isAcknowledged: boolean;
  /** Every time that the endpoint answered 2xx, in order. */
  readonly taken: readonly Attempt[];
  readonly attempts: number;
  readonly dead: readonly string[];
}

/** How the passages to one destination, or to all of them, ended. */
export interface Tally {
  /** Acknowledged calls times their destinations. */
  readonly due: number;
  readonly once: number;
  /** Delivered more than once. */
  readonly repeated: number;
  /** Dead-lettered and not delivered. */
  readonly dead: number;
  readonly lost: number;
  /** Requests to the endpoint. */
  readonly attempts: number;
}

export interface Account {
  readonly calls: { readonly sent: number; readonly acknowledged: number };
  readonly total: Tally;
  readonly byDestination: ReadonlyMap<DestinationName, Tally>;
  /** Deliveries beyond the first of each passage. */
  readonly extraDeliveries: number;
  readonly deadByReason: ReadonlyMap<string, number>;
  /** Dead-lettered without that the endpoint ever got a request. */
  readonly deadUnasked: number;
  /** Delivered, and in the dead letters too. */
  readonly deliveredAndDead: number;
  /** Dead-lettered for a reason that the endpoint's script does not explain: must be empty. "messageId → destination: reason". */
  readonly unexplained: readonly string[];
  /** As these, but never asked or not answered in time: zero on a machine that carries the run. */
  readonly starved: readonly string[];
  /** Calls that were not acknowledged and arrived or were dead-lettered all the same: allowed. */
  readonly unacknowledgedSeen: number;
  /** Acknowledged, and nowhere: must be empty. "messageId → destination". */
  readonly lost: readonly string[];
  /** Other than what was sent, or never sent, or sent to somebody else: must be empty. */
  readonly altered: readonly string[];
}

function passageKey(call: number, destination: DestinationName): string {
  return `${messageIdOf(call)} → ${destination}`;
}

interface OpenPassage extends Passage {
  readonly taken: Attempt[];
  readonly dead: string[];
  attempts: number;
}

function openPassages(sent: readonly SentCall[]): Map<string, OpenPassage> {
  const passages = new Map<string, OpenPassage>();
  for (const { call, destinations, acknowledgedAtMs } of sent) {
    for (const destination of destinations) {
      const isAcknowledged = acknowledgedAtMs !== undefined;
      passages.set(passageKey(call, destination), {
        call,
        destination,
        isAcknowledged,
        taken: [],
        attempts: 0,
        dead: [],
      });
    }
  }
  return passages;
}

/** What happened to each call on its way to each of its destinations; what fits none of them is altered. */
export function trace({ sent, attempts, dead }: Ledger): { passages: Passage[]; altered: string[] } {
  const passages = openPassages(sent);
  const altered: string[] = [];
  const find = (
    { call, destination, alteration }: Attempt | DeadCall,
    what: string,
  ): OpenPassage | undefined => {
    const key = call === undefined || destination === undefined ? undefined : passageKey(call, destination);
    const passage = key === undefined ? undefined : passages.get(key);
    const fault = alteration ?? (passage === undefined ? "nobody sent it there" : undefined);
    if (fault !== undefined) altered.push(`${what} ${key ?? `at ${destination}`}: ${fault}`);
    return fault === undefined ? passage : undefined;
  };
  for (const attempt of attempts) {
    const passage = find(attempt, "request");
    if (passage === undefined) continue;
    passage.attempts += 1;
    if (attempt.isTaken) passage.taken.push(attempt);
  }
  for (const letter of dead) find(letter, "dead letter")?.dead.push(letter.reason);
  return { passages: [...passages.values()], altered };
}

function isLost({ isAcknowledged, taken, dead }: Passage): boolean {
  return isAcknowledged && taken.length === 0 && dead.length === 0;
}

/** Whether a call's end in the dead letters follows from what its endpoint does, and from what it was asked. */
function isExplained({ destination, attempts, dead: [reason = ""] }: Passage): boolean {
  // A call whose endpoint was never asked must say so.
  if (attempts === 0 && reason === "window_over: diverted") return false;
  return behaviourOf(destination).deadBy.some((word) => reason.split(":")[0] === word);
}

/** No request that was answered says so: the run's window is a minute, and a machine that stands still for longer asks nobody. */
function isStarved({ attempts, dead: [reason = ""] }: Passage): boolean {
  return (
    reason === "not_asked: diverted" ||
    (attempts > 0 && /^(window_over|not_asked): (timeout|reset)$/.test(reason))
  );
}

function tally(passages: readonly Passage[]): Tally {
  const due = passages.filter(({ isAcknowledged }) => isAcknowledged);
  const count = (test: (passage: Passage) => boolean): number => due.filter(test).length;
  return {
    due: due.length,
    once: count(({ taken }) => taken.length === 1),
    repeated: count(({ taken }) => taken.length > 1),
    dead: count(({ taken, dead }) => taken.length === 0 && dead.length > 0),
    lost: count(isLost),
    attempts: passages.reduce((sum, { attempts }) => sum + attempts, 0),
  };
}

function countBy(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Accounts for every call of the ledger. */
export function accountFor(ledger: Ledger): Account {
  const { passages, altered } = trace(ledger);
  const acknowledged = ledger.sent.filter(({ acknowledgedAtMs }) => acknowledgedAtMs !== undefined);
  const wasSeen = ({ isAcknowledged, taken, dead }: Passage): boolean =>
    !isAcknowledged && (taken.length > 0 || dead.length > 0);
  const byDestination = BEHAVIOURS.map(
    ({ name }) => [name, tally(passages.filter(({ destination }) => destination === name))] as const,
  );
  const undelivered = passages.filter(({ isAcknowledged, taken }) => isAcknowledged && taken.length === 0);
  const sentAt = new Map(ledger.sent.map(({ call, sentAtMs }) => [call, Math.round(sentAtMs)]));
  const endOf = ({ call, destination, dead: [reason] }: Passage): string =>
    `${passageKey(call, destination)}: ${reason}`;
  const unexplained = undelivered.filter((passage) => passage.dead.length > 0 && !isExplained(passage));
  return {
    calls: { sent: ledger.sent.length, acknowledged: acknowledged.length },
    total: tally(passages),
    byDestination: new Map(byDestination),
    extraDeliveries: passages.reduce((sum, { taken }) => sum + Math.max(0, taken.length - 1), 0),
    deadByReason: countBy(undelivered.flatMap(({ dead }) => dead.slice(0, 1))),
    deadUnasked: undelivered.filter(({ attempts, dead }) => attempts === 0 && dead.length > 0).length,
    unexplained: unexplained.filter((passage) => !isStarved(passage)).map(endOf),
    starved: unexplained
      .filter(isStarved)
      .map((passage) => `${endOf(passage)}, sent at ${sentAt.get(passage.call)} ms`),
    deliveredAndDead: passages.filter(({ taken, dead }) => taken.length > 0 && dead.length > 0).length,
    unacknowledgedSeen: new Set(passages.filter(wasSeen).map(({ call }) => call)).size,
    lost: passages.filter(isLost).map(({ call, destination }) => passageKey(call, destination)),
    altered,
  };
}

/** Whether every acknowledged call has ended: nothing is left to wait for. */
export function isSettled(ledger: Ledger): boolean {
  return !trace(ledger).passages.some(isLost);
}
