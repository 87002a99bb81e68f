// The calls of a destination's sources: which of them it was sent, and why it was passed over for the others.
import { Link } from "react-router";
import { PASSED_OVER_REASONS } from "../../api/tables.generated.ts";
import { Empty } from "../../elements/answer.tsx";
import { destinationPath } from "../../elements/destination-link.tsx";
import { ChoiceFilter, emptyList, TextFilter, useFilters } from "../../elements/filters.tsx";
import { useSourceNames } from "../../elements/source-link.tsx";
import { State } from "../../elements/state.tsx";
import { CallList, type CallQuery, type SourceCall } from "../calls/call-list.tsx";
import { useDestination } from "./queries.ts";

const SENT = "sent";
const PASSED_OVER = "passed_over";
const BECAME = [SENT, [PASSED_OVER, "not sent, whatever the reason"], ...PASSED_OVER_REASONS] as const;

/** In the words of the API. */
function stepOf(became: string | undefined, id: string): CallQuery {
  if (became === undefined) return {};
  if (became === SENT) return { destinationId: id };
  const reason = PASSED_OVER_REASONS.find((one) => one === became);
  return { passedOverBy: id, ...(reason !== undefined && { passedOverReason: reason }) };
}

function becameOf({ destinationIds, outcome, passedOver }: SourceCall, id: string): string {
  if (destinationIds.includes(id)) return SENT;
  const said = passedOver.find(({ destinationId }) => destinationId === id)?.reason;
  return said ?? (outcome === "routed" || outcome === "no_destination" ? "not_connected" : outcome);
}

export function DestinationCalls() {
  const { id, sourceIds } = useDestination();
  const filters = useFilters();
  const names = useSourceNames(sourceIds);
  const asked = filters.get("sourceId");
  const sourceId = sourceIds.find((one) => one === asked) ?? sourceIds[0];
  const [first, ...others] = names;
  if (sourceId === undefined || first === undefined)
    return (
      <Empty title="It has no source, so no call">
        <Link to={`${destinationPath(id)}/edit`}>Choose one</Link>.
      </Empty>
    );
  const query = {
    ...filters.pick("event", "userId", "messageId", "from", "to"),
    ...stepOf(filters.get("became"), id),
  };
  return (
    <>
      <div className="filters">
        {others.length > 0 && (
          <ChoiceFilter filters={filters} name="sourceId" label="Source" choices={others} unset={first[1]} />
        )}
        <ChoiceFilter filters={filters} name="became" label="What became of it here" choices={BECAME} />
        <TextFilter filters={filters} name="event" label="Event" />
        <TextFilter filters={filters} name="userId" label="User id" />
        <TextFilter filters={filters} name="messageId" label="Message id" />
        <TextFilter filters={filters} name="from" label="From (ISO 8601)" />
        <TextFilter filters={filters} name="to" label="To (ISO 8601)" />
      </div>
      <CallList
        sourceId={sourceId}
        query={query}
        became={[{ title: "Here", cell: (call) => <State of={becameOf(call, id)} /> }]}
        empty={emptyList(
          filters,
          "No call is recorded",
          "Calls of seven days are listed. With HOOKLINE_RECORDED_CALLS=none calls are not recorded.",
        )}
      />
    </>
  );
}
