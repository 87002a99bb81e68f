// Counts by step, and by what they are grouped by; pure.
import { classifyResult } from "#contract";
import type { FlowSum } from "../index/flow-table.ts";
import type { NameSum } from "../index/names-table.ts";
import { add, NO_REQUESTS, type RequestCounts, type RequestSum } from "../index/totals-table.ts";
import type { ShownSum } from "./flow.ts";
import { namedEntries } from "./named.ts";
import type { WaitingSum } from "./settled.ts";
import type { StatsEntry } from "./stats-entry.ts";

export const GROUPS = ["eventType", "eventName", "reason", "webhook", "status"] as const;
export type GroupBy = (typeof GROUPS)[number];

/** Field of an entry that names its group. */
export const GROUP_FIELD = {
  eventType: "eventType",
  eventName: "eventName",
  reason: "reason",
  webhook: "webhookId",
  status: "status",
} as const satisfies Record<GroupBy, string>;

export interface Counts {
  readonly sums: readonly FlowSum[];
  /** Undefined where it is not known. */
  readonly waiting?: readonly WaitingSum[] | undefined;
  readonly requests: readonly RequestSum[];
  /** Where calls are grouped by the names of their events. */
  readonly names?: readonly NameSum[];
}

/** A job says no name of an event, and waits for no reason. */
const DIVIDES_WAITING: readonly (GroupBy | undefined)[] = [undefined, "eventType"];

interface Gathered extends StatsEntry {
  readonly sums: ShownSum[];
  requests: RequestCounts;
}

/** Oldest first, within a step by group. Of calls and requests only what the group divides is in the entries. */
export function entriesOf(counted: Counts, groupBy?: GroupBy): StatsEntry[] {
  const { names = [], requests, sums } = counted;
  if (groupBy === "eventName") return namedEntries(sums, names);
  const entries = new Map<string, Gathered>();
  const waiting = DIVIDES_WAITING.includes(groupBy) ? counted.waiting : undefined;
  const isSettled = waiting !== undefined;
  const at = (atMs: number, group: string | null | undefined): Gathered => {
    const key = JSON.stringify([atMs, group]);
    const known = entries.get(key) ?? { atMs, group, sums: [], isSettled, requests: NO_REQUESTS };
    entries.set(key, known);
    return known;
  };
  for (const sum of [...sums, ...(waiting ?? [])]) {
    const group = groupOfCalls(sum, groupBy);
    if (group !== false) at(sum.atMs, group).sums.push(sum);
  }
  for (const { atMs, counts, webhookId } of requests)
    for (const [group, part] of partsOf(counts, webhookId, groupBy)) {
      const entry = at(atMs, group);
      entry.requests = add(entry.requests, part);
    }
  return [...entries.values()].toSorted(inOrder);
}

function inOrder(one: StatsEntry, other: StatsEntry): number {
  if (one.atMs !== other.atMs) return one.atMs - other.atMs;
  const [a, b] = [one.group ?? "", other.group ?? ""];
  return a < b ? -1 : Number(a > b);
}

/** Of the whole range. */
export function totalOf({
  requests,
  sums,
  waiting,
}: Counts): Pick<StatsEntry, "isSettled" | "requests" | "sums"> {
  return {
    sums: [...sums, ...(waiting ?? [])],
    isSettled: waiting !== undefined,
    requests: requests.reduce((sum, { counts }) => add(sum, counts), NO_REQUESTS),
  };
}

/** False where calls have no such group. */
function groupOfCalls(
  { reason, type }: ShownSum,
  groupBy: GroupBy | undefined,
): string | null | undefined | false {
  switch (groupBy) {
    case undefined:
      return undefined;
    case "eventType":
      return type === "" ? null : type;
    case "reason":
      return reason === "" ? null : reason;
    default:
      return false;
  }
}

type Part = readonly [group: string | null | undefined, counts: RequestCounts];

function partsOf(counts: RequestCounts, webhookId: string, groupBy: GroupBy | undefined): readonly Part[] {
  switch (groupBy) {
    case undefined:
      return [[undefined, counts]];
    case "webhook":
      return [[webhookId === "" ? null : webhookId, counts]];
    case "reason":
      return Object.entries(counts.outcomes).map(([outcome, count]) => [
        outcome === "success" ? null : outcome,
        { ...NO_REQUESTS, outcomes: { [outcome]: count } },
      ]);
    case "status":
      return partsByStatus(counts);
    default:
      return [];
  }
}

/** A status has one outcome; what is left of the outcomes had no response. */
function partsByStatus({ outcomes, statuses }: RequestCounts): Part[] {
  const left = { ...outcomes };
  const parts = Object.entries(statuses).map(([status, count]): Part => {
    const outcome = outcomeOf(status);
    left[outcome] = (left[outcome] ?? 0) - count;
    return [status, { ...NO_REQUESTS, outcomes: { [outcome]: count } }];
  });
  const silent = Object.fromEntries(Object.entries(left).filter(([, count]) => count > 0));
  return Object.keys(silent).length === 0 ? parts : [...parts, [null, { ...NO_REQUESTS, outcomes: silent }]];
}

const NOTHING = Buffer.alloc(0);

/** Of a status, or of a class as in 5xx. */
function outcomeOf(text: string): string {
  const status = Number(text.replaceAll("x", "0"));
  const response = { kind: "response", status, retryAfter: undefined, durationMs: 0, body: NOTHING } as const;
  const outcome = classifyResult(response, 0);
  return outcome.kind === "success" ? "success" : outcome.reason;
}
