// What the processor has to know of the rows of sizes: the newest two days of each audience in each partition, and of the others that they are
// there. All of them would be thousands of rows for each audience.
import type { Table } from "#kafka";
import type { AudienceSize } from "#topics";

/** Where a row is. */
export type SizePlace = Pick<AudienceSize, "id" | "partition" | "day">;

/** Of one audience in one partition. */
interface Known {
  readonly id: string;
  readonly partition: number;
  /** The newest two days; the one may be durable without the other. */
  readonly newest: Map<number, AudienceSize>;
  /** What a former owner has written behind a newest one. */
  readonly late: Map<number, AudienceSize>;
  readonly days: Set<number>;
}

export class KnownRows {
  readonly #known = new Map<string, Known>();

  static of(table: Pick<Table<AudienceSize>, "onChange">): KnownRows {
    const rows = new KnownRows();
    table.onChange((key, row) => rows.changed(key, row));
    return rows;
  }

  changed(key: string, row: AudienceSize | undefined): void {
    const place = key.slice(0, key.lastIndexOf(":"));
    const known = this.#known.get(place);
    if (row === undefined) this.#gone(place, Number(key.slice(place.length + 1)));
    else if (known === undefined) this.#known.set(place, begun(row));
    else note(known, row);
  }

  #gone(place: string, day: number): void {
    const known = this.#known.get(place);
    known?.newest.delete(day);
    known?.late.delete(day);
    known?.days.delete(day);
    if (known?.days.size === 0) this.#known.delete(place);
  }

  /** Newest rows of one partition, its mark among them. */
  newestOf(partition: number): AudienceSize[] {
    return this.#of(partition).flatMap(({ newest }) => [...newest.values()]);
  }

  /** Rows of one partition that stand behind newer ones in the log, where others take them for the newest. */
  lateOf(partition: number): AudienceSize[] {
    return this.#of(partition).flatMap(({ late }) => [...late.values()]);
  }

  #of(partition: number): Known[] {
    return [...this.#known.values()].filter((known) => known.partition === partition);
  }

  *places(): Generator<SizePlace> {
    for (const { days, id, partition } of this.#known.values())
      for (const day of days) yield { id, partition, day };
  }
}

function begun(row: AudienceSize): Known {
  const { day, id, partition } = row;
  return { id, partition, newest: new Map([[day, row]]), late: new Map(), days: new Set([day]) };
}

function note({ days, late, newest }: Known, row: AudienceSize): void {
  const { batch, day, id } = row;
  days.add(day);
  // Of a late mark comes that more is read again, which does no harm.
  if (id !== "" && (newest.get(day)?.batch ?? 0) > batch) {
    late.set(day, row);
    return;
  }
  late.delete(day);
  newest.set(day, row);
  if (newest.size <= 2) return;
  const over = Math.min(...newest.keys());
  newest.delete(over);
  late.delete(over);
}
