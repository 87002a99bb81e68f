// Destinations that fail, those first that fail most: how many of their requests of the last hour, and why the last one.
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { DestinationLink } from "../../elements/destination-link.tsx";
import { requestCounts } from "../../elements/groups.ts";
import { Outcome, State, stateOfDestination } from "../../elements/state.tsx";
import { type Column, Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { share } from "../../elements/times.ts";
import { worstFirst } from "./worst-first.ts";

const TROUBLED = ["failing", "breaker_open", "recovering"] as const;
/** Of each. */
const ROWS = 20;
const REFETCH_MS = 5_000;
const COUNTS_REFETCH_MS = 15_000;

type Destination = Schemas["Destination"];
type Counts = ReturnType<typeof requestCounts>;

async function troubled(): Promise<readonly Destination[]> {
  const pages = await Promise.all(
    TROUBLED.map((health) =>
      answerOf(api.GET("/v1/destinations", { params: { query: { health, limit: ROWS } } })),
    ),
  );
  return pages.flatMap(({ data }) => data);
}

/** By their ids; requests of the last hour. */
async function countsOf(ids: string): Promise<ReadonlyMap<string, Counts>> {
  const request = api.GET("/v1/stats/destinations", { params: { query: { ids, waiting: false } } });
  const { data } = await answerOf(request);
  return new Map(data.map(({ attempts, destinationId }) => [destinationId, requestCounts(attempts)]));
}

const COLUMNS: readonly Column<Destination>[] = [
  { title: "Destination", cell: (row) => <DestinationLink {...row} /> },
  { title: "Health", cell: (row) => <State of={stateOfDestination(row)} /> },
  { title: "Since", cell: ({ health }) => <Time at={health.since} /> },
];

const LAST_FAILURE: Column<Destination> = {
  title: "Last failure",
  cell: ({ health: { lastError } }) =>
    lastError === null ? (
      "–"
    ) : (
      <>
        <Outcome of={lastError.outcome} status={lastError.status} /> <Text>{lastError.message}</Text>
      </>
    ),
};

function Rows({ rows }: { readonly rows: readonly Destination[] }) {
  const ids = rows.map(({ id }) => id).join(",");
  const { data: counts } = useQuery({
    queryKey: ["troubled-counts", ids],
    queryFn: () => countsOf(ids),
    refetchInterval: COUNTS_REFETCH_MS,
    placeholderData: keepPreviousData,
  });
  const failed: readonly Column<Destination>[] = [
    {
      title: "Failed",
      isNumber: true,
      cell({ id }) {
        const { all, success } = counts?.get(id) ?? { all: 0, success: 0 };
        return share(all - success, all) ?? "–";
      },
    },
    {
      title: "Requests that failed",
      isNumber: true,
      cell({ id }) {
        const of = counts?.get(id);
        return of === undefined ? "–" : (of.all - of.success).toLocaleString("en");
      },
    },
  ];
  return (
    <Table
      caption="Destinations that fail; requests of the last hour"
      rows={worstFirst(rows, counts ?? new Map())}
      keyOf={({ id }) => id}
      columns={[...COLUMNS, ...failed, LAST_FAILURE]}
    />
  );
}

export function Troubled() {
  const query = useQuery({ queryKey: ["troubled"], queryFn: troubled, refetchInterval: REFETCH_MS });
  return (
    <Answer query={query}>
      {(rows) => (rows.length === 0 ? <p className="quiet">No destination fails.</p> : <Rows rows={rows} />)}
    </Answer>
  );
}
