// A list of the API that comes in pages, with its next page at a click.
import { type InfiniteData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Answer } from "./answer.tsx";

interface Page<R> {
  readonly data: readonly R[];
  readonly next: string | null;
  /** How many entries all pages have; null where there are more than were counted. */
  readonly total?: number | null;
  readonly atLeast?: number;
}

export interface PageQuery {
  readonly limit: number;
  readonly after?: string;
}

interface PagedOptions<R> {
  readonly key: QueryKey;
  /** Asks for one page: the given part of the query says which. */
  readonly load: (page: PageQuery) => Promise<Page<R>>;
  /** Every few seconds unless it is asked for. */
  readonly refetchMs?: number | false;
}

const REFETCH_MS = 5_000;
const FIRST_ROWS = 50;
/** Who asks for more wants many. */
const MORE_ROWS = 200;

/** The part of a list's query that asks for one page. */
export function pageQuery(after: string | undefined): PageQuery {
  return after === undefined ? { limit: FIRST_ROWS } : { limit: MORE_ROWS, after };
}

const hasMany = (pages: readonly unknown[] | undefined): boolean => (pages?.length ?? 1) > 1;

/** Asked again while the tab is seen, for as long as only its first page is shown: fifty pages would be fifty requests. */
export function usePaged<R>({ key, load, refetchMs = REFETCH_MS }: PagedOptions<R>) {
  return useInfiniteQuery<Page<R>, Error, InfiniteData<Page<R>>, QueryKey, string | undefined>({
    queryKey: key,
    queryFn: ({ pageParam }) => load(pageQuery(pageParam)),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) => (hasMany(state.data?.pages) ? false : refetchMs),
    refetchOnWindowFocus: ({ state }) => !hasMany(state.data?.pages),
  });
}

/** Nothing where a look tells. */
function Total({ of: page }: { readonly of: Page<unknown> | undefined }) {
  if (page === undefined || page.next === null) return null;
  const { atLeast, total } = page;
  if (typeof total === "number") return <p className="quiet">{total.toLocaleString("en")} in all</p>;
  return atLeast === undefined ? null : <p className="quiet">at least {atLeast.toLocaleString("en")}</p>;
}

interface PagedProps<R> {
  readonly query: ReturnType<typeof usePaged<R>>;
  readonly empty: ReactNode;
  readonly children: (rows: readonly R[]) => ReactNode;
}

export function Paged<R>({ query, empty, children }: PagedProps<R>) {
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query;
  return (
    <Answer query={query}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data);
        return (
          <>
            <Total of={pages[0]} />
            {rows.length === 0 && !hasNextPage ? empty : children(rows)}
            {hasNextPage && (
              <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                {isFetchingNextPage ? "Loading …" : "Load more"}
              </button>
            )}
          </>
        );
      }}
    </Answer>
  );
}
