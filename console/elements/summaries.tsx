// Counts beside the rows of a list, asked for once for each page of it.
import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Column } from "./table.tsx";

/** Reading what waits is work for Kafka. */
const REFETCH_MS = 30_000;

interface Row {
  readonly id: string;
}

interface CountedOptions<S> {
  readonly key: string;
  readonly load: (ids: string) => Promise<{ readonly data: readonly S[] }>;
  readonly idOf: (summary: S) => string;
  /** By the title of the column. */
  readonly shown: Readonly<Record<string, (summary: S) => ReactNode>>;
}

export type Pages = readonly { readonly data: readonly Row[] }[];

export function useCountColumns<S>(
  pages: Pages,
  { idOf, key, load, shown }: CountedOptions<S>,
): readonly Column<Row>[] {
  const answers = useQueries({
    queries: pages.map(({ data }) => {
      const ids = data.map(({ id }) => id).join(",");
      return {
        queryKey: [key, ids],
        queryFn: () => load(ids),
        enabled: ids !== "",
        refetchInterval: REFETCH_MS,
      };
    }),
  });
  const known = new Map(answers.flatMap(({ data }) => data?.data ?? []).map((one) => [idOf(one), one]));
  const otherwise = (
    <span className="quiet">{answers.some(({ isPending }) => isPending) ? "…" : "unknown"}</span>
  );
  return Object.entries(shown).map(([title, show]) => ({
    title,
    isNumber: true,
    cell({ id }) {
      const summary = known.get(id);
      return summary === undefined ? otherwise : show(summary);
    },
  }));
}
