// Where calls went, as statistics show it, from counts of the index; pure. What adds up to what: docs/use/calls.md.
import type { FlowStage } from "../index/flow-stages.ts";
import type { FlowSum } from "../index/flow-table.ts";

type ByReason = Readonly<Record<string, number>>;

/** Calls at destinations: each is counted at every destination that was connected and on. */
export interface DeliveryFlow {
  /** Each got a job: dead and deliveredOrWaiting together. */
  readonly sent: number;
  readonly passedOver: ByReason;
  readonly dead: ByReason;
  readonly deliveredOrWaiting: number;
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

type Sum = Pick<FlowSum, "stage" | "reason" | "calls">;

export function callFlow(sums: readonly Sum[]): CallFlow {
  const [routed, dropped, failed] = [
    countOf(sums, "routed"),
    byReason(sums, "dropped"),
    countOf(sums, "failed"),
  ];
  const refused = byReason(sums, "refused");
  const accepted = routed + failed + totalOf(dropped);
  const received = accepted + totalOf(refused);
  return { received, refused, accepted, routed, dropped, failed, deliveries: deliveryFlow(sums) };
}

export function deliveryFlow(sums: readonly Sum[]): DeliveryFlow {
  const [sent, dead] = [countOf(sums, "sent"), byReason(sums, "dead")];
  return {
    sent,
    passedOver: byReason(sums, "passed_over"),
    dead,
    // A dead letter may be indexed before the record of its call is.
    deliveredOrWaiting: Math.max(0, sent - totalOf(dead)),
  };
}

function countOf(sums: readonly Sum[], stage: FlowStage): number {
  return totalOf(byReason(sums, stage));
}

function byReason(sums: readonly Sum[], stage: FlowStage): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const sum of sums)
    if (sum.stage === stage && sum.calls > 0) counts[sum.reason] = (counts[sum.reason] ?? 0) + sum.calls;
  return counts;
}

function totalOf(counts: ByReason): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}
