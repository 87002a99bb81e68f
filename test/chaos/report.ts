// What a run found, for people and for programs.
import type { EventKind } from "./events.ts";
import { duplicatesOf, lateWork, orderOf, type Spread, takeoversOf } from "./findings.ts";
import { type Account, accountFor, type Tally } from "./oracle.ts";
import type { RunResult } from "./run.ts";

export interface RunFacts {
  readonly seed: number;
  readonly callsPerSecond: number;
}

/** Of the consumer groups. */
export const SESSION_TIMEOUT_MS = 6_000;
const SHOWN = 20;

export interface Report {
  readonly seed: number;
  readonly callsPerSecond: number;
  readonly durationSeconds: number;
  readonly stallMs: RunResult["stallMs"];
  readonly events: Readonly<Record<string, number>>;
  readonly calls: Account["calls"];
  readonly total: Tally;
  readonly byDestination: Readonly<Record<string, Tally>>;
  readonly deadByReason: Readonly<Record<string, number>>;
  readonly deadUnasked: number;
  readonly deliveredAndDead: number;
  readonly unacknowledgedSeen: number;
  readonly refusals: Readonly<Record<string, number>>;
  readonly duplicates: {
    readonly extraDeliveries: number;
    readonly byEvent: Readonly<Record<string, number>>;
    readonly farFromEvents: number;
    readonly byAnotherProcess: number;
    readonly spread: Spread;
  };
  readonly takeovers: ReturnType<typeof takeoversOf>;
  readonly lateWork: ReturnType<typeof lateWork>;
  readonly order: ReturnType<typeof orderOf>;
  readonly lost: readonly string[];
  readonly altered: readonly string[];
  readonly unexplained: readonly string[];
  readonly starved: readonly string[];
}

function countKinds({ ledger }: RunResult): Record<string, number> {
  const counts: Partial<Record<EventKind, number>> = {};
  for (const { event } of ledger.disturbances) counts[event.kind] = (counts[event.kind] ?? 0) + 1;
  return counts;
}

export function reportOf(result: RunResult, { seed, callsPerSecond }: RunFacts): Report {
  const { ledger, refusals, durationMs, stallMs } = result;
  const account = accountFor(ledger);
  const { byEvent, ...duplicates } = duplicatesOf(ledger);
  return {
    seed,
    callsPerSecond,
    durationSeconds: Math.round(durationMs / 1000),
    stallMs,
    events: countKinds(result),
    calls: account.calls,
    total: account.total,
    byDestination: Object.fromEntries(account.byDestination),
    deadByReason: Object.fromEntries(account.deadByReason),
    deadUnasked: account.deadUnasked,
    deliveredAndDead: account.deliveredAndDead,
    unacknowledgedSeen: account.unacknowledgedSeen,
    refusals: Object.fromEntries(refusals),
    duplicates: {
      extraDeliveries: account.extraDeliveries,
      byEvent: Object.fromEntries(byEvent),
      ...duplicates,
    },
    takeovers: takeoversOf(ledger),
    lateWork: lateWork(ledger),
    order: orderOf(ledger),
    lost: account.lost,
    altered: account.altered,
    unexplained: account.unexplained,
    starved: account.starved,
  };
}

/** Where callers, which do next to nothing, are late by more than this, no attempt can be asked to be in time. */
const BUSY_MACHINE_STALL_MS = 150;

/**
 * Whether the machine had time for all of it. On one that had none, endpoints that stand still are taken for stalled: calls are put off,
 * which gives their order up (decision 10), and may die by the run's short window. That is only counted then.
 */
export function hadTime({ stallMs }: Pick<Report, "stallMs">): boolean {
  return stallMs.p99 <= BUSY_MACHINE_STALL_MS;
}

/** Whether nothing acknowledged is missing, nothing came that was not sent, and nothing died that its endpoint would have taken. */
export function isConserved(report: Report): boolean {
  const { lost, altered, unexplained, starved } = report;
  if (starved.length > 0 && hadTime(report)) return false;
  return lost.length === 0 && altered.length === 0 && unexplained.length === 0;
}

function table(rows: readonly (readonly (string | number)[])[]): string[] {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : cell)),
  );
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd();
  return texts.map(line);
}

function counted(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${name} ${count.toLocaleString("en")}`);
  return parts.length === 0 ? "none" : parts.join(", ");
}

function seconds(timeMs: number): string {
  return `${(timeMs / 1000).toFixed(1)} s`;
}

function named(title: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const rest = names.length > SHOWN ? [`  and ${names.length - SHOWN} more`] : [];
  return [`${title} (${names.length}):`, ...names.slice(0, SHOWN).map((name) => `  ${name}`), ...rest];
}

function tallyRow(name: string, { due, once, repeated, dead, lost, attempts }: Tally): (string | number)[] {
  return [name, due, once, repeated, dead, lost, attempts];
}

function duplicateLines({ duplicates, lateWork: late }: Report): string[] {
  const { extraDeliveries, byEvent, farFromEvents, byAnotherProcess, spread } = duplicates;
  return [
    `extra deliveries        ${extraDeliveries} of ${spread.count} calls, ${byAnotherProcess} by another process, ${farFromEvents} far from every event`,
    `  first to last         median ${seconds(spread.medianMs)}, p99 ${seconds(spread.p99Ms)}, longest ${seconds(spread.maxMs)}`,
    `  near                  ${counted(byEvent)}`,
    `two processes at once   ${late.deliveries} deliveries by one that had lost its partitions, at most ${seconds(late.longestMs)} beside the other (session timeout ${seconds(SESSION_TIMEOUT_MS)})`,
  ];
}

/** The report as lines for people. */
export function reportLines(report: Report): string[] {
  const { calls, total, byDestination, takeovers, order } = report;
  const took = takeovers.map(({ what, users, firstMs, medianMs, lastMs }) => [
    what,
    users,
    ...(users === 0 ? ["", "", ""] : [firstMs, medianMs, lastMs].map(seconds)),
  ]);
  return [
    `seed ${report.seed}, ${report.callsPerSecond} calls/s, ${report.durationSeconds} s; events: ${counted(report.events)}`,
    `calls: ${calls.sent.toLocaleString("en")} sent, ${calls.acknowledged.toLocaleString("en")} acknowledged; refused (by status, 0 is no answer): ${counted(report.refusals)}`,
    `callers and endpoints stood still themselves for ${seconds(report.stallMs.max)} at most, p99 ${seconds(report.stallMs.p99)}: a request may time out by that`,
    "",
    ...table([
      ["destination", "due", "once", "repeated", "dead", "lost", "requests"],
      ...Object.entries(byDestination).map(([name, tally]) => tallyRow(name, tally)),
      tallyRow("all", total),
    ]),
    "",
    `dead letters            ${counted(report.deadByReason)}; never asked: ${report.deadUnasked}; for want of time at endpoints that take calls: ${report.starved.length}; delivered too: ${report.deliveredAndDead}`,
    `not acknowledged        ${report.unacknowledgedSeen} calls arrived all the same (allowed)`,
    ...duplicateLines(report),
    `order                   ${order.inverted.length} of ${order.pairs.toLocaleString("en")} pairs of a user's calls inverted where nothing happened`,
    "",
    ...table([["taken over after", "users", "first", "median", "last"], ...took]),
    "",
    ...named("LOST", report.lost),
    ...named("ALTERED", report.altered),
    ...named("INVERTED", order.inverted),
    ...named("DEAD FOR WANT OF TIME", report.starved),
    ...named("DEAD FOR NO REASON OF THEIR ENDPOINT", report.unexplained),
    isConserved(report)
      ? "Every acknowledged call is accounted for."
      : "CALLS ARE LOST, ALTERED OR DEAD WITHOUT REASON: see above; the same seed gives the same schedule.",
  ];
}
