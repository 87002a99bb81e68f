import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { HEALTH_STATES } from "../../api/tables.generated.ts";
import { ChoiceFilter, TextFilter, useFilters } from "../../elements/filters.tsx";
import { requestCounts } from "../../elements/groups.ts";
import { NamedList } from "../../elements/named-list.tsx";
import { State, stateOfDestination } from "../../elements/state.tsx";
import { type Pages, useCountColumns } from "../../elements/summaries.tsx";
import type { Column } from "../../elements/table.tsx";
import { duration, share, waitingText } from "../../elements/times.ts";
import type { Destination } from "./queries.ts";

type Summary = Schemas["DestinationSummary"];

const HEALTH_COLUMN: Column<Destination> = {
  title: "Health",
  cell: (row) => <State of={stateOfDestination(row)} />,
};

const COUNTS = {
  Success({ attempts }: Summary) {
    const { success, all } = requestCounts(attempts);
    return share(success, all) ?? <span className="quiet">no requests</span>;
  },
  p95: ({ p95Ms }: Summary) => duration(p95Ms),
  Waiting: ({ destinationId, waiting }: Summary) => (
    <Link to={`${destinationId}/waiting`}>{waitingText(waiting) ?? "?"}</Link>
  ),
};

const COUNTED = {
  key: "destination-summaries",
  load: (ids: string) => answerOf(api.GET("/v1/stats/destinations", { params: { query: { ids } } })),
  idOf: ({ destinationId }: Summary) => destinationId,
  shown: COUNTS,
};

function useColumns(pages: Pages): readonly Column<Destination>[] {
  return [HEALTH_COLUMN, ...useCountColumns(pages, COUNTED)];
}

export function DestinationList() {
  const filters = useFilters();
  const sourceId = filters.get("sourceId");
  return (
    <NamedList
      title="Destinations"
      one="a destination"
      caption="Destinations; success, p95 of the last hour"
      filters={filters}
      isSearched
      query={filters.pick("search", "health", "sort", "sourceId")}
      load={(query) => answerOf(api.GET("/v1/destinations", { params: { query } }))}
      useColumns={useColumns}
      toNew={`new${sourceId === undefined ? "" : `?sourceId=${encodeURIComponent(sourceId)}`}`}
    >
      <TextFilter filters={filters} name="sourceId" label="Source id" />
      <ChoiceFilter filters={filters} name="health" label="Health" choices={HEALTH_STATES} />
    </NamedList>
  );
}
