// Rows of sizes by audience, as their topic has them. A year of an audience has thousands: each is kept as a few numbers and a text.
import type { Table } from "#kafka";
import type { AudienceSize } from "#topics";

/** What a row says of one partition and day. */
export interface SizeRow extends Pick<AudienceSize, "partition" | "day" | "members" | "isBeginning"> {
  readonly hours: readonly { readonly hour: number; readonly entered: number; readonly left: number }[];
}

type Kept = Omit<SizeRow, "hours"> & {
  /** JSON: [hour, entered, left] of each. */
  readonly hours: string;
};

export interface SizeRows {
  /** False for the first moments of a process, and until each of so many partitions has counted. */
  isCounted(partitions: number): boolean;
  of(id: string): readonly SizeRow[];
}

export function followSizes(table: Pick<Table<AudienceSize>, "loaded" | "onChange">): SizeRows {
  const rows = new Map<string, Map<string, Kept>>();
  table.onChange((key, row) => {
    // An id has no colon.
    const [id = "", ...place] = key.split(":");
    const own = rows.get(id) ?? new Map<string, Kept>();
    if (row === undefined) own.delete(place.join(":"));
    else own.set(place.join(":"), keptOf(row));
    if (own.size === 0) rows.delete(id);
    else rows.set(id, own);
  });
  return {
    isCounted: (partitions) => table.loaded && (rows.get("")?.size ?? 0) >= partitions,
    of: (id) => Array.from(rows.get(id)?.values() ?? [], rowOf),
  };
}

function keptOf({ day, hours, isBeginning, members, partition }: AudienceSize): Kept {
  const text = JSON.stringify(hours.map(({ entered, hour, left }) => [hour, entered, left]));
  return { partition, day, members, isBeginning, hours: text };
}

function rowOf({ hours, ...row }: Kept): SizeRow {
  const read = JSON.parse(hours) as [hour: number, entered: number, left: number][];
  return { ...row, hours: read.map(([hour, entered, left]) => ({ hour, entered, left })) };
}
