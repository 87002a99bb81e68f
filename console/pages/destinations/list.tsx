import { Link } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Empty } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { ChoiceFilter, TextFilter, useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { duration, share } from "../../elements/times.ts";
import { attemptCounts, type Destination, useStats, useWaitingSummary } from "./queries.ts";

const HEALTH = ["untested", "healthy", "failing", "recovering", "breaker_open"] as const;
const SORTS = [
  ["-createdAt", "newest first"],
  ["name", "by name"],
] as const;
const ROWS = 25;

function Success({ id }: { readonly id: string }) {
  const { data } = useStats(id);
  if (data === undefined) return <span className="quiet">…</span>;
  const { success, all } = attemptCounts(data.total.attempts);
  return <>{share(success, all) ?? <span className="quiet">no requests</span>}</>;
}

function Latency({ id }: { readonly id: string }) {
  const { data } = useStats(id);
  return <>{duration(data?.total.p95Ms ?? null)}</>;
}

function WaitingCount({ id }: { readonly id: string }) {
  const { data, isError } = useWaitingSummary(id);
  if (data === undefined) return <span className="quiet">{isError ? "unknown" : "…"}</span>;
  return (
    <Link to={`${id}/waiting`}>
      {data === null ? "?" : `${data.isComplete ? "" : "at least "}${data.calls}`}
    </Link>
  );
}

function stateOf({ enabled, health, paused }: Destination): string {
  if (!enabled) return "off";
  return paused === null ? health.state : "paused";
}

export function DestinationList() {
  const filters = useFilters();
  const query = filters.pick("search", "health", "sort", "sourceId") as {
    readonly health?: (typeof HEALTH)[number];
  };
  const list = usePaged<Destination>({
    key: ["destinations", query],
    load: (after) =>
      answerOf(
        api.GET("/v1/destinations", {
          params: { query: { ...query, limit: ROWS, ...(after && { after }) } },
        }),
      ),
  });
  const sourceId = filters.get("sourceId");
  const toNew = `new${sourceId === undefined ? "" : `?sourceId=${encodeURIComponent(sourceId)}`}`;
  return (
    <Page title="Destinations" beside={<Link to={toNew}>Make a destination</Link>}>
      <div className="filters">
        <TextFilter filters={filters} name="search" label="Name or id" />
        <TextFilter filters={filters} name="sourceId" label="Source id" />
        <ChoiceFilter filters={filters} name="health" label="Health" choices={HEALTH} />
        <ChoiceFilter filters={filters} name="sort" label="Order" choices={SORTS} unset="oldest first" />
      </div>
      <Paged
        query={list}
        empty={
          filters.isAny ? (
            <Empty title="No destination is like this">
              Change the filters above, or <Link to={toNew}>make one</Link>.
            </Empty>
          ) : (
            <Empty title="There are no destinations yet">
              <Link to="new">Make one</Link>, here or with <code>hookline destinations create</code>.
            </Empty>
          )
        }
      >
        {(rows) => (
          <Table
            caption="Destinations; success, p95 of the last hour"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                title: "Name",
                cell: ({ id, name }) => (
                  <Link to={id}>
                    <Text>{name}</Text>
                  </Link>
                ),
              },
              { title: "Health", cell: (row) => <State of={stateOf(row)} /> },
              { title: "Success", isNumber: true, cell: ({ id }) => <Success id={id} /> },
              { title: "p95", isNumber: true, cell: ({ id }) => <Latency id={id} /> },
              { title: "Waiting", isNumber: true, cell: ({ id }) => <WaitingCount id={id} /> },
              { title: "Id", cell: ({ id }) => <Copyable text={id} what="id" /> },
            ]}
          />
        )}
      </Paged>
    </Page>
  );
}
