// Recorded calls as control reads them: some hundred in a transaction, of one partition.
import { randomUUID } from "node:crypto";
import { routedCall } from "#support/records";
import type { RoutedCall } from "#topics";
import type { IndexPart } from "../../services/control/deliveries/index/index-part.ts";

const PARTITIONS = 12;
/** As many as control writes in one transaction. */
const STRETCH = 200;

/** Where each of the transactions of so many rows begins. */
export function stretchesOf(from: number, rows: number): number[] {
  return Array.from({ length: Math.ceil(rows / STRETCH) }, (_, at) => from + at * STRETCH);
}

/** Those of one transaction. */
export function callsOf(from: number): RoutedCall[] {
  const receivedAtMs = Date.now();
  return Array.from({ length: STRETCH }, (_, more) => {
    const ids = {
      messageId: randomUUID(),
      anonymousId: randomUUID(),
      userId: `user-${(from + more) % 100_000}`,
    };
    const place = { partition: (from / STRETCH) % PARTITIONS, offset: from + more };
    return routedCall({ ...ids, ...place, receivedAtMs, sourceId: `source-${more % 10}` });
  });
}

export function writeTo(index: IndexPart, calls: readonly RoutedCall[]): void {
  const entries = calls.map((record) => ({ partition: record.partition, offset: record.offset, record }));
  const [{ partition }, nextOffset] = [entries[0] ?? { partition: 0 }, (entries.at(-1)?.offset ?? 0) + 1];
  index.apply({ kind: "routedCalls", partition, entries, nextOffset, epoch: index.epoch });
}
