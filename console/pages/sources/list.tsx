import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { ChoiceFilter, useFilters } from "../../elements/filters.tsx";
import { NamedList } from "../../elements/named-list.tsx";
import { State } from "../../elements/state.tsx";
import type { Column } from "../../elements/table.tsx";
import { Time } from "../../elements/time.tsx";
import { Rate, RefusedShare } from "./rates.tsx";

const ENABLED = [
  ["true", "on"],
  ["false", "off"],
] as const;

const COLUMNS: readonly Column<Schemas["Source"]>[] = [
  { title: "State", cell: ({ enabled }) => <State of={enabled ? "on" : "off"} /> },
  { title: "Calls/min", isNumber: true, cell: ({ id }) => <Rate id={id} /> },
  { title: "Refused", isNumber: true, cell: ({ id }) => <RefusedShare id={id} /> },
  { title: "Write keys", isNumber: true, cell: ({ writeKeys }) => writeKeys.length },
  { title: "Live", cell: ({ id }) => <Link to={`${id}/live`}>Watch its calls</Link> },
  { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

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
      useColumns={() => COLUMNS}
    >
      <ChoiceFilter filters={filters} name="enabled" label="Takes calls" choices={ENABLED} />
    </NamedList>
  );
}
