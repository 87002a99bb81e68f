// Where calls went, as statistics show it, from counts of the index; pure. What adds up to what: docs/use/calls.md.

import type { FlowSum } from "../index/flow-table.ts";
import type { WaitingSum } from "./settled.ts";

type ByReason = Readonly<Record<string, number>>;

/** Calls at destinations: each is counted at every destination that was connected and on. */
export interface DeliveryFlow {
  /** Each got a job: dead, waiting and delivered together. */
  readonly sent: number;
  readonly passedOver: ByReason;
  readonly dead: ByReason;
  /** Null where it is not known, as delivered then. */
  readonly waiting: number | null;
  readonly delivered: number | null;
}

/** Calls that came: refused and accepted together, and of the accepted ones routed, dropped and failed. */
export interface CallFlow {
  readonly received: number;
  readonly refused: ByReason;
  readonly accepted: number;
  readonly routed: number;
  readonly dropped: ByReason;
  readonly failed: number;
  readonly deliveries: DeliveryFlow;
}

/** Of one step, type, stage and reason. */
export type ShownSum = FlowSum | WaitingSum;
type Sum = Pick<ShownSum, "stage" | "reason" | "calls">;
type Stage = Sum["stage"];

/** `isSettled`: all that waits is among the sums. */
export function callFlow(sums: readonly Sum[], isSettled: boolean): CallFlow {
  const [routed, dropped, failed] = [
    countOf(sums, "routed"),
    byReason(sums, "dropped"),
    countOf(sums, "failed"),
  ];
  const refused = byReason(sums, "refused");
  const accepted = routed + failed + totalOf(dropped);
  const received = accepted + totalOf(refused);
  return { received, refused, accepted, routed, dropped, failed, deliveries: deliveryFlow(sums, isSettled) };
}

export function deliveryFlow(sums: readonly Sum[], isSettled: boolean): DeliveryFlow {
  const [sent, dead] = [countOf(sums, "sent"), byReason(sums, "dead")];
  // A dead letter may be indexed before the record of its call is.
  const open = Math.max(0, sent - totalOf(dead));
  const waiting = isSettled ? Math.min(open, countOf(sums, "waiting")) : null;
  const delivered = waiting === null ? null : open - waiting;
  return { sent, passedOver: byReason(sums, "passed_over"), dead, waiting, delivered };
}

function countOf(sums: readonly Sum[], stage: Stage): number {
  return totalOf(byReason(sums, stage));
}

function byReason(sums: readonly Sum[], stage: Stage): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const sum of sums)
    if (sum.stage === stage && sum.calls > 0) counts[sum.reason] = (counts[sum.reason] ?? 0) + sum.calls;
  return counts;
}

function totalOf(counts: ByReason): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
