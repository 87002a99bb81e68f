// The accepted calls of a source, and where each went.
import { DROP_REASONS, PASSED_OVER_REASONS } from "../../api/tables.generated.ts";
import { ChoiceFilter, emptyList, TextFilter, useFilters } from "../../elements/filters.tsx";
import { State } from "../../elements/state.tsx";
import type { Column } from "../../elements/table.tsx";
import { CallList, type CallQuery, type SourceCall } from "../calls/call-list.tsx";
import { useSourceId } from "./source.tsx";

const OUTCOMES = ["routed", ...DROP_REASONS];
const FILTERS = [
  ...(["outcome", "passedOverReason", "event", "destinationId", "userId", "messageId"] as const),
  ...(["from", "to"] as const),
];

const BECAME: readonly Column<SourceCall>[] = [
  { title: "Became", cell: ({ outcome }) => <State of={outcome} /> },
  { title: "Destinations", isNumber: true, cell: ({ destinationIds }) => destinationIds.length },
];

export function SourceCalls() {
  const id = useSourceId();
  const filters = useFilters();
  return (
    <>
      <div className="filters">
        <ChoiceFilter filters={filters} name="outcome" label="What became of it" choices={OUTCOMES} />
        <ChoiceFilter
          filters={filters}
          name="passedOverReason"
          label="Not meant for a destination"
          choices={PASSED_OVER_REASONS}
        />
        <TextFilter filters={filters} name="event" label="Event" />
        <TextFilter filters={filters} name="destinationId" label="Destination id" />
        <TextFilter filters={filters} name="userId" label="User id" />
        <TextFilter filters={filters} name="messageId" label="Message id" />
        <TextFilter filters={filters} name="from" label="From (ISO 8601)" />
        <TextFilter filters={filters} name="to" label="To (ISO 8601)" />
      </div>
      <CallList
        sourceId={id}
        query={filters.pick(...FILTERS) as CallQuery}
        became={BECAME}
        empty={emptyList(
          filters,
          "No call is recorded",
          "Send a call with a write key of this source. With HOOKLINE_RECORDED_CALLS=none calls are not recorded.",
        )}
      />
    </>
  );
}
