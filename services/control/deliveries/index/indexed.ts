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

/** The topics that are indexed. */
export const INDEXED = [
  "attempts",
  "totals",
  "deadLetters",
  "routedCalls",
  "refusedCalls",
  "hourlyStats",
  "dailyStats",
  "auditLog",
] as const;
export type Indexed = (typeof INDEXED)[number];

export interface IndexedRecords {
  attempts: DeliveryAttempt;
  totals: DeliveryTotal;
  deadLetters: DeadLetter;
  routedCalls: RoutedCall;
  refusedCalls: RefusedCalls;
  hourlyStats: StatsRollup;
  dailyStats: StatsRollup;
  auditLog: AuditEntry;
}

export type Entry<K extends Indexed> = Spot & {
  readonly record: IndexedRecords[K];
  /** A router's record that the partition of its key did not take in time, and may have all the same. */
  readonly isKeyless?: boolean;
};

/** A stretch of one partition: what could be read of it, and where reading goes on. */
export interface Stretch<K extends Indexed> {
  readonly kind: K;
  readonly partition: number;
  readonly entries: readonly Entry<K>[];
  readonly nextOffset: number;
  /** The index's `epoch` when reading began. */
  readonly epoch: number;
}
