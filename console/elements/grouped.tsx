// Statistics by what is chosen to group them by, as a table of the whole span.
import { type QueryKey, useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { Answer } from "./answer.tsx";
import type { Filters } from "./filters.tsx";
import { GROUPS, type Group, type GroupBy, groupByOf, groupsOf } from "./groups.ts";
import { Choice } from "./span-choice.tsx";
import { coarsest, queryOf, type Span } from "./steps.ts";
import { type Column, Table } from "./table.tsx";
import { Text } from "./text.tsx";
import { share } from "./times.ts";

const REFETCH_MS = 15_000;
const NAMES = Object.entries(GROUPS) as [GroupBy, string][];

type GroupQuery = ReturnType<typeof queryOf> & { readonly groupBy: GroupBy };
type Entries = Parameters<typeof groupsOf>[0];

interface GroupedProps {
  readonly filters: Filters;
  readonly span: Span;
  readonly queryKey: QueryKey;
  readonly load: (query: GroupQuery) => Promise<{ readonly data: Entries }>;
  /** Of webhooks by their ids. */
  readonly titles?: Readonly<Record<string, string>>;
  /** Where the calls of an event are listed. */
  readonly eventPath?: (name: string) => string;
}

export function Grouped({ filters, ...of }: GroupedProps) {
  const groupBy = groupByOf(filters.get("group"));
  return (
    <section>
      <Choice
        legend="Grouped by"
        options={[["", "nothing"] as const, ...NAMES]}
        chosen={groupBy ?? ""}
        choose={(name) => filters.set("group", name)}
      />
      {groupBy !== undefined && <Groups {...of} groupBy={groupBy} />}
    </section>
  );
}

function Groups({
  groupBy,
  load,
  queryKey,
  span,
  titles = {},
  eventPath,
}: Omit<GroupedProps, "filters"> & { readonly groupBy: GroupBy }) {
  const query = useQuery({
    queryKey: [...queryKey, "grouped", span.name, groupBy],
    queryFn: () => load({ ...queryOf(coarsest(span), Date.now()), groupBy }),
    refetchInterval: REFETCH_MS,
  });
  const named: Column<Group> = {
    title: GROUPS[groupBy],
    cell({ name }) {
      const text = <Text>{titles[name] ?? name}</Text>;
      // The rest, and calls without a name, are no event.
      const isEvent = groupBy === "eventName" && name !== "others" && name !== "none";
      return eventPath !== undefined && isEvent ? <Link to={eventPath(name)}>{text}</Link> : text;
    },
  };
  const columns = [named, ...(isOfRequests(groupBy) ? [] : CALLS), ...(isOfCalls(groupBy) ? [] : REQUESTS)];
  return (
    <Answer query={query}>
      {({ data }) => (
        <Table
          caption={`By ${GROUPS[groupBy]}, ${span.title}`}
          rows={groupsOf(data)}
          keyOf={({ name }) => name}
          columns={columns}
        />
      )}
    </Answer>
  );
}

const isOfRequests = (groupBy: GroupBy): boolean => groupBy === "webhook" || groupBy === "status";
const isOfCalls = (groupBy: GroupBy): boolean => groupBy === "eventType" || groupBy === "eventName";

const count = (title: string, of: (group: Group) => number): Column<Group> => ({
  ...{ title, isNumber: true },
  cell: (group) => of(group).toLocaleString("en"),
});
const CALLS = [
  count("Received", ({ received }) => received),
  count("Sent", ({ sent }) => sent),
  count("Dead", ({ dead }) => dead),
];
const REQUESTS: readonly Column<Group>[] = [
  count("Requests", ({ requests }) => requests),
  { title: "Success", isNumber: true, cell: ({ requests, success }) => share(success, requests) ?? "–" },
];
