import type { LogMemory, LostPartition, PartitionOffsets } from "../admin-types.ts";

interface Loss {
  readonly end: number;
  readonly why: string;
}

/**
 * Compaction moves neither the beginning nor the end of a log: where one of them has moved, records are lost. A partition that has lost records
 * counts as lost until something is written to it. Nobody does so by chance: control refuses changes meanwhile, a restore writes to each.
 */
export class SeenLog implements LogMemory {
  /** The first offset as it was last seen, by partition. */
  readonly #beginnings = new Map<number, number>();
  /** The highest next offset that was seen, by partition. */
  readonly #ends = new Map<number, number>();
  readonly #losses = new Map<number, Loss>();

  get hadRecords(): boolean {
    return [...this.#ends.values()].some((end) => end > 0);
  }

  /** Every record before the offset was there. */
  hasRead(partition: number, nextOffset: number): void {
    this.#ends.set(partition, Math.max(nextOffset, this.#ends.get(partition) ?? 0));
  }

  judge(): (found: readonly PartitionOffsets[]) => LostPartition[] {
    const [beginnings, ends] = [new Map(this.#beginnings), new Map(this.#ends)];
    return (found) =>
      found.flatMap((offsets) => {
        const { partition } = offsets;
        const before = { low: beginnings.get(partition), high: ends.get(partition) };
        const why = this.#whyLost(offsets, lossBetween(before, offsets));
        return why === undefined ? [] : [{ partition, why }];
      });
  }

  #whyLost({ partition, low, high }: PartitionOffsets, why: string | undefined): string | undefined {
    const loss = this.#losses.get(partition);
    const isWritten = loss !== undefined && high > loss.end;
    if (loss === undefined && why === undefined) {
      this.#beginnings.set(partition, low);
      this.hasRead(partition, high);
      return undefined;
    }
    if (isWritten) {
      this.#losses.delete(partition);
      this.#beginnings.set(partition, low);
      this.#ends.set(partition, high);
      return undefined;
    }
    const said = loss?.why ?? why;
    // A topic that was created again has a lower end.
    this.#losses.set(partition, { end: Math.min(high, loss?.end ?? high), why: said ?? "" });
    return said;
  }
}

interface Seen {
  readonly low: number | undefined;
  readonly high: number | undefined;
}

function lossBetween(before: Seen, { low, high }: PartitionOffsets): string | undefined {
  if (before.high !== undefined && high < before.high) return `its end was ${before.high} and is ${high}`;
  if (before.low !== undefined && low > before.low) return `its beginning was ${before.low} and is ${low}`;
  return low === high && high > 0 ? "it is empty, and had records" : undefined;
}
