// Lists that are narrowed by what no table is sorted by: rows are looked at in the order of the list, some at a time.
import type { Host } from "#host";
import { nextTurn } from "./next-turn.ts";
import type { Mark } from "./time-pages.ts";

/** Rows of one look, in which nothing else runs: about 10 ms. */
const LOOK_ROWS = 1_000;
/** Rows that one page looks at: about half a second. */
const PAGE_ROWS = 50_000;

export interface Scan<T> {
  /** Rows of the list behind a mark, newest first. */
  read(page: {
    readonly limit: number;
    readonly behind?: Mark | undefined;
  }): readonly T[] | Promise<readonly T[]>;
  accepts(row: T): boolean;
  markOf(row: T): Mark;
  /** How many rows to find, and behind which. */
  readonly page: { readonly limit: number; readonly behind?: Mark | undefined };
  readonly host: Pick<Host, "setImmediate">;
}

export interface Scanned<T> {
  readonly found: readonly T[];
  /** Behind what the next page begins; undefined where no row is left. A page that is not full has one when enough rows were looked at. */
  readonly next: Mark | undefined;
}

export async function scan<T>({ accepts, host, markOf, page, read }: Scan<T>): Promise<Scanned<T>> {
  const found: T[] = [];
  let { behind } = page;
  for (let looked = 0; looked < PAGE_ROWS; looked += LOOK_ROWS) {
    if (looked > 0) await nextTurn(host);
    // One more than is wanted tells whether the list goes on.
    const limit = looked === 0 ? Math.min(page.limit + 1, LOOK_ROWS) : LOOK_ROWS;
    const rows = await read({ limit, behind });
    for (const row of rows) {
      if (found.length === page.limit) return { found, next: behind };
      behind = markOf(row);
      if (accepts(row)) found.push(row);
    }
    if (rows.length < limit) return { found, next: undefined };
  }
  return { found, next: behind };
}
