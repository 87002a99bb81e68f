import { placeOf, type Spot, spotOf } from "../../records/places/places.ts";
import type { Statements } from "./sql.ts";

/**
 * How far each partition of the routers' records has come in each partition of calls. A call is routed again only after a crash, so that its
 * record is behind others: only one that is has to be looked for among the rows. One without a key may be in another partition, too.
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

  /** Notes the call; false when one behind it, or itself, was noted before from this partition or "any", which records without a key are from. Those never are. */
  isAhead(partition: number | "any", call: Spot): boolean {
    const ofAny = placeOf({ partition: -1, offset: call.partition });
    const key = partition === "any" ? ofAny : placeOf({ partition, offset: call.partition });
    const isBehindAny = call.offset < (this.#ends.get(ofAny) ?? 0);
    if (call.offset < (this.#ends.get(key) ?? 0)) return false;
    this.#ends.set(key, call.offset + 1);
    this.#changed.add(key);
    return partition !== "any" && !isBehindAny;
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
