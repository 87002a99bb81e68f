// One page of a list that is narrowed while it is read, with how many entries the list has.
import type { Static, TObject } from "typebox";
import { type Scan, scan } from "./scan.ts";
import { cursorOf, type PAGE_FIELDS, readScannedPage } from "./time-pages.ts";
import { type FirstPage, type Total, totalOf } from "./totals.ts";

interface Listing<T> extends Omit<Scan<T>, "page">, Pick<FirstPage, "count" | "most"> {
  readonly query: Static<TObject<typeof PAGE_FIELDS>>;
}

interface ScannedPage<T> {
  readonly found: readonly T[];
  /** Fields of the answer. */
  readonly page: Total & { readonly next: string | null };
}

/** Throws a 422. */
export async function scannedPage<T>({ count, most, query, ...of }: Listing<T>): Promise<ScannedPage<T>> {
  const { found, next } = await scan({ ...of, page: readScannedPage(query) });
  const total = await totalOf({ after: query.after, data: found, isLast: next === undefined, count, most });
  return { found, page: { next: next === undefined ? null : cursorOf(next), ...total } };
}
