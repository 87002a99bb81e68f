// A list of what has a name, and which people make.
import type { ReactNode } from "react";
import { Link } from "react-router";
import { Empty } from "./answer.tsx";
import { Copyable } from "./copyable.tsx";
import { ChoiceFilter, type Filters, TextFilter } from "./filters.tsx";
import { Page } from "./page.tsx";
import { Paged, type PageQuery, usePaged } from "./paged.tsx";
import { type Column, Table } from "./table.tsx";
import { Text } from "./text.tsx";

const ROWS = 25;
const SORTS = [
  ["-createdAt", "newest first"],
  ["name", "by name"],
] as const;

type Load<R> = Parameters<typeof usePaged<R>>[0]["load"];
type ListPage<R> = Awaited<ReturnType<Load<R>>>;

interface NamedListProps<R> {
  /** "Sources". */
  readonly title: string;
  /** "a source". */
  readonly one: string;
  readonly filters: Filters;
  readonly children: ReactNode;
  readonly isSearched?: boolean;
  readonly query: object;
  readonly load: (page: PageQuery) => ReturnType<Load<R>>;
  /** Between the name and the id. */
  readonly useColumns: (pages: readonly ListPage<R>[]) => readonly Column<R>[];
  readonly caption?: string;
  readonly beside?: ReactNode;
  readonly toNew?: string;
  /** Follows on "Make one" while there is none. */
  readonly how?: string;
}

export function NamedList<R extends { readonly id: string; readonly name: string }>({
  filters,
  one,
  title,
  toNew = "new",
  ...list
}: NamedListProps<R>) {
  const name = (row: R) => (
    <Link to={row.id}>
      <Text>{row.name}</Text>
    </Link>
  );
  const query = usePaged<R>({
    key: [title, list.query],
    load: (page) => list.load({ ...list.query, ...page, limit: ROWS }),
  });
  const columns = [
    { title: "Name", cell: name },
    ...list.useColumns(query.data?.pages ?? []),
    { title: "Id", cell: ({ id }: R) => <Copyable text={id} what="id" /> },
  ];
  const empty = filters.isAny ? (
    <Empty title={`No ${one.replace(/^an? /, "")} is like this`}>
      Change the filters above, or <Link to={toNew}>make one</Link>.
    </Empty>
  ) : (
    <Empty title={`There are no ${title.toLowerCase()} yet`}>
      <Link to="new">Make one</Link>
      {list.how ?? `, here or with: hookline ${title.toLowerCase()} create`}
    </Empty>
  );
  return (
    <Page
      title={title}
      beside={
        <>
          <Link to={toNew}>Make {one}</Link>
          {list.beside}
        </>
      }
    >
      <div className="filters">
        {list.isSearched && <TextFilter filters={filters} name="search" label="Name or id" />}
        {list.children}
        {list.isSearched && (
          <ChoiceFilter filters={filters} name="sort" label="Order" choices={SORTS} unset="oldest first" />
        )}
      </div>
      <Paged query={query} empty={empty}>
        {(rows) => (
          <Table caption={list.caption ?? title} rows={rows} keyOf={({ id }) => id} columns={columns} />
        )}
      </Paged>
    </Page>
  );
}
