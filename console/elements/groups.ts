// Entries of statistics that are grouped, summed over their steps; from numbers alone.
import type { Schemas } from "../api/client.ts";
import { sumOf } from "./steps.ts";

type CallEntry = Schemas["CallStats"]["data"][number];
type RequestEntry = Schemas["GetStatsAnswer"]["data"][number];
type Entry = CallEntry | RequestEntry;

/** As the API names them, and for people. */
export const GROUPS = {
  eventType: "type of call",
  eventName: "event",
  reason: "reason",
  webhook: "webhook",
  status: "status",
} as const;
export type GroupBy = keyof typeof GROUPS;

export function groupByOf(name: string | undefined): GroupBy | undefined {
  return (Object.keys(GROUPS) as GroupBy[]).find((one) => one === name);
}

export interface Group {
  readonly name: string;
  readonly received: number;
  readonly sent: number;
  readonly dead: number;
  readonly requests: number;
  readonly success: number;
}

/** Requests by outcome in two numbers. A call that was put off without a request is among the outcomes, and none of them. */
export function requestCounts({ diverted: _, ...attempts }: Readonly<Record<string, number>>): {
  readonly all: number;
  readonly success: number;
} {
  return { all: sumOf(attempts), success: attempts["success"] ?? 0 };
}

const NOTHING = { received: 0, sent: 0, dead: 0, requests: 0, success: 0 };

/** The largest first; without those that nothing is known of but that calls were put off. */
export function groupsOf(entries: readonly Entry[]): Group[] {
  const groups = new Map<string, Group>();
  for (const entry of entries) {
    const name = nameOf(entry);
    const { received, sent, dead, requests, success } = groups.get(name) ?? NOTHING;
    const { all, success: delivered } = requestCounts(
      "requests" in entry ? entry.requests.attempts : entry.attempts,
    );
    const calls = "calls" in entry ? entry.calls : entry.deliveries;
    groups.set(name, {
      name,
      received: received + ("received" in entry ? entry.received : 0),
      sent: sent + calls.sent,
      dead: dead + sumOf(calls.dead),
      requests: requests + all,
      success: success + delivered,
    });
  }
  return [...groups.values()]
    .filter((group) => sizeOf(group) > 0)
    .toSorted((one, other) => sizeOf(other) - sizeOf(one));
}

const sizeOf = ({ dead, received, requests, sent }: Group): number => received + sent + dead + requests;

function nameOf(entry: Entry): string {
  if (entry.others === true) return "others";
  const { eventName, eventType, reason, status, webhookId } = entry;
  const name = [eventType, eventName, reason, webhookId, status].find((one) => one !== undefined);
  return name ?? "none";
}
