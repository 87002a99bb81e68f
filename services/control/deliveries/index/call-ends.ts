import { placeOf, type Spot, spotOf } from "../../records/places/places.ts";
import type { Statements } from "./sql.ts";

/**
 * How far each partition of the routers' records has come in each partition of calls. A call is routed again only after a crash, so that its
 * record is behind others: only one that is has to be looked for among the rows.
 */
export class CallEnds {
  readonly #sql: Statements;
  /** By the two partitions in one number. */
  readonly #ends = new Map<number, number>();
  readonly #changed = new Set<number>();

  constructor(sql: Statements) {
    this.#sql = sql;
    this.reload();
  }

  /** Notes the call; false when one behind it, or itself, was noted before from this partition. */
  isAhead(partition: number, call: Spot): boolean {
    const key = placeOf({ partition, offset: call.partition });
    if (call.offset < (this.#ends.get(key) ?? 0)) return false;
    this.#ends.set(key, call.offset + 1);
    this.#changed.add(key);
    return true;
  }

  /** Within the transaction that the records are written in. */
  save(): void {
    for (const key of this.#changed) {
      const { offset: callPartition, partition } = spotOf(key);
      const end = this.#ends.get(key) ?? 0;
      this.#sql.run("INSERT OR REPLACE INTO call_ends VALUES (?, ?, ?)", partition, callPartition, end);
    }
    this.#changed.clear();
  }

  /** After a transaction that came to nothing. */
  reload(): void {
    this.#changed.clear();
    this.#ends.clear();
    for (const row of this.#sql.all("SELECT partition, call_partition, next_offset FROM call_ends")) {
      const [partition, offset] = [Number(row["partition"]), Number(row["call_partition"])];
      this.#ends.set(placeOf({ partition, offset }), Number(row["next_offset"]));
    }
  }
}
