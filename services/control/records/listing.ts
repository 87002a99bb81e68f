// Lists of what may be there by the million: nobody decodes all of it, nor looks at all of it in one turn of the event loop.
import type { Listed } from "../http/pages.ts";

export interface RowsAsked {
  /** They begin behind its place, whether it is still there or not. */
  readonly after?: Listed | undefined;
  readonly isNewestFirst?: boolean;
  /** Of each turn. */
  readonly atOnce?: number;
}

/** Values V; an R is what a list looks at of each. */
export interface Listing<V, R> {
  readonly size: number;
  /** As `get`, for one look at many: it is not kept at hand. */
  peek(id: string): V | undefined;
  /** Decodes nothing. */
  placeOf(id: string): Listed | undefined;
  /** Those of a group, oldest first: some thousand at most. */
  in(group: string): V[];
  /** Theirs, without a look at them: of a million groups some may have one too many. */
  idsIn(group: string): Iterable<string>;
  /** How many there are at most, as `idsIn` has them. */
  countIn(group: string): number;
  hasAny(group: string, accepts?: (value: V) => boolean): boolean;
  /** All of them, oldest first, as they are when their turn comes. */
  rows(asked?: RowsAsked): AsyncIterable<readonly (R & Listed)[]>;
}

/** The store, which can be listed too. */
export function withListing<S extends { readonly size: number }, V, R>(
  store: S,
  listing: Listing<V, R>,
): S & Listing<V, R> {
  return Object.assign(store, {
    peek: (id: string) => listing.peek(id),
    placeOf: (id: string) => listing.placeOf(id),
    in: (group: string) => listing.in(group),
    idsIn: (group: string) => listing.idsIn(group),
    countIn: (group: string) => listing.countIn(group),
    hasAny: (group: string, accepts?: (value: V) => boolean) => listing.hasAny(group, accepts),
    rows: (asked?: RowsAsked) => listing.rows(asked),
  });
}
