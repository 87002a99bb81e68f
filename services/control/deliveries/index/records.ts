// What a record of a topic becomes in the index.
import type {
  AuditEntry,
  DeadLetter,
  DeliveryAttempt,
  DeliveryTotal,
  RefusedCalls,
  RoutedCall,
  StatsRollup,
} from "#topics";
import type { Spot } from "../../records/places/places.ts";
import { insertAttempt } from "./attempts-table.ts";
import { insertAuditEntry } from "./audit-table.ts";
import type { CallEnds } from "./call-ends.ts";
import type { IndexDatabase } from "./database.ts";
import { insertDeadLetter } from "./dead-letters-table.ts";
import type { Eras } from "./eras.ts";
import type { FlowCounts } from "./flow-table.ts";
import type { Entry, Indexed } from "./indexed.ts";
import type { IssueCounts } from "./issue-counts.ts";
import { insertRefused } from "./refused-calls-table.ts";
import { STEP_OF_TOPIC, takeRollup } from "./rollups-table.ts";
import { insertRoutedCall, saidBefore } from "./routed-calls-table.ts";
import type { Statements } from "./sql.ts";
import { addTotal } from "./totals-table.ts";
import type { Writers } from "./writers.ts";

export interface Opened {
  readonly file: IndexDatabase;
  readonly sql: Statements;
  /** When the index was made, Unix ms. */
  readonly createdMs: number;
  readonly eras: Eras;
  readonly writers: Writers;
  readonly flow: FlowCounts;
  readonly callEnds: CallEnds;
  readonly issues: IssueCounts;
}

/** Within the transaction of its stretch. */
export function insertRecord(opened: Opened, kind: Indexed, entry: Entry<Indexed>): void {
  const { eras, flow, issues, sql, writers } = opened;
  const { partition, record } = entry;
  switch (kind) {
    case "attempts":
      if (writers.isNew(kind, partition, record as DeliveryAttempt))
        if (insertAttempt(sql, record as DeliveryAttempt, entry)) issues.failed(record as DeliveryAttempt);
      return;
    case "totals":
      if (writers.isNew(kind, partition, record as DeliveryTotal))
        countTotal(opened, record as DeliveryTotal);
      return;
    case "hourlyStats":
    case "dailyStats":
      takeRollup(sql, eras, STEP_OF_TOPIC[kind], record as StatsRollup);
      return;
    case "deadLetters":
      countDeadLetter(opened, record as DeadLetter, entry);
      return;
    case "routedCalls":
      countRoutedCall(opened, record as RoutedCall, entry);
      return;
    case "refusedCalls":
      insertRefused(sql, record as RefusedCalls, entry);
      flow.refused(record as RefusedCalls);
      return;
    case "auditLog":
      insertAuditEntry(sql, record as AuditEntry, entry);
      return;
  }
}

function countDeadLetter({ flow, issues, sql }: Opened, record: DeadLetter, spot: Spot): void {
  const statuses = issues.statusesOf(record);
  if (!insertDeadLetter(sql, record, { ...spot, statuses })) return;
  flow.dead(record);
  issues.dead(record);
}

/** What ended before the minutes of this index is in roll-ups. */
function countTotal({ eras, sql }: Opened, record: DeliveryTotal): void {
  if (record.minuteMs >= eras.minutesFromMs) addTotal(sql, record);
}

/** Of a call that was routed again only what was said last counts. */
function countRoutedCall({ callEnds, flow, sql }: Opened, record: RoutedCall, entry: Entry<Indexed>): void {
  const partition = entry.isKeyless ? "any" : entry.partition;
  const before = callEnds.isAhead(partition, record) ? undefined : saidBefore(sql, record);
  if (!insertRoutedCall(sql, record, entry)) return;
  if (before !== undefined) flow.routed(before, -1);
  flow.routed(record, 1);
}
