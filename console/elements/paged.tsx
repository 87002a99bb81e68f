// A list of the API that comes in pages, with its next page at a click.
import { type InfiniteData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Answer } from "./answer.tsx";

interface Page<R> {
  readonly data: readonly R[];
  readonly next: string | null;
}

interface PagedOptions<R> {
  readonly key: QueryKey;
  readonly load: (after: string | undefined) => Promise<Page<R>>;
  /** Every few seconds unless it is asked for. */
  readonly refetchMs?: number | false;
}

const REFETCH_MS = 5_000;

/** Asked again while the tab is seen, for as long as only its first page is shown. */
export function usePaged<R>({ key, load, refetchMs = REFETCH_MS }: PagedOptions<R>) {
  return useInfiniteQuery<Page<R>, Error, InfiniteData<Page<R>>, QueryKey, string | undefined>({
    queryKey: key,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 1) > 1 ? false : refetchMs),
  });
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
