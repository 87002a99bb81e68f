import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { ChoiceFilter, useFilters } from "../../elements/filters.tsx";
import { NamedList } from "../../elements/named-list.tsx";
import { State } from "../../elements/state.tsx";
import { sumOf } from "../../elements/steps.ts";
import { type Pages, useCountColumns } from "../../elements/summaries.tsx";
import type { Column } from "../../elements/table.tsx";
import { Time } from "../../elements/time.tsx";
import { share } from "../../elements/times.ts";

type Source = Schemas["Source"];
type Summary = Schemas["SourceSummary"];

/** Of the last hour. */
const MINUTES = 60;
const ENABLED = [
  ["true", "on"],
  ["false", "off"],
] as const;

const STATE: Column<Source> = {
  title: "State",
  cell: ({ enabled }) => <State of={enabled ? "on" : "off"} />,
};
const OTHERS: readonly Column<Source>[] = [
  { title: "Write keys", isNumber: true, cell: ({ writeKeys }) => writeKeys.length },
  { title: "Live", cell: ({ id }) => <Link to={`${id}/live`}>Watch its calls</Link> },
  { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const COUNTED = {
  key: "source-summaries",
  load: (ids: string) => answerOf(api.GET("/v1/stats/sources", { params: { query: { ids } } })),
  idOf: ({ sourceId }: Summary) => sourceId,
  shown: {
    "Calls/min": ({ received }: Summary) => {
      const aMinute = received / MINUTES;
      return aMinute.toLocaleString("en", { maximumFractionDigits: aMinute < 10 ? 1 : 0 });
    },
    Refused: ({ received, refused, sourceId }: Summary) => {
      const count = sumOf(refused);
      if (count === 0) return <span className="quiet">{received === 0 ? "no calls" : "none"}</span>;
      return <Link to={`${sourceId}/refused`}>{share(count, received)}</Link>;
    },
  },
};

function useColumns(pages: Pages): readonly Column<Source>[] {
  return [STATE, ...useCountColumns(pages, COUNTED), ...OTHERS];
}

export function SourceList() {
  const filters = useFilters();
  const { enabled, ...texts } = filters.pick("search", "enabled", "sort");
  return (
    <NamedList
      title="Sources"
      one="a source"
      caption="Sources; calls of the last hour"
      filters={filters}
      isSearched
      query={{ ...texts, ...(enabled !== undefined && { enabled: enabled === "true" }) }}
      load={(query) => answerOf(api.GET("/v1/sources", { params: { query } }))}
      useColumns={useColumns}
    >
      <ChoiceFilter filters={filters} name="enabled" label="Takes calls" choices={ENABLED} />
    </NamedList>
  );
}
