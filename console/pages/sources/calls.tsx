// The accepted calls of a source, and where each went.
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { DROP_REASONS } from "../../api/tables.generated.ts";
import { Empty } from "../../elements/answer.tsx";
import { ChoiceFilter, TextFilter, useFilters } from "../../elements/filters.tsx";
import { Paged, pageQuery, usePaged } from "../../elements/paged.tsx";
import { State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { UserLink } from "../../elements/user-link.tsx";
import { callPath } from "../calls/paths.ts";
import { useSource } from "./source.tsx";

type Call = Schemas["SourceCall"];

const OUTCOMES = ["routed", ...DROP_REASONS];

export function SourceCalls() {
  const { id } = useSource();
  const filters = useFilters();
  const query = filters.pick("outcome", "event", "destinationId", "userId", "messageId", "from", "to") as {
    readonly outcome?: Call["outcome"];
  };
  const list = usePaged<Call>({
    key: ["source-calls", id, query],
    load: (after) =>
      answerOf(
        api.GET("/v1/sources/{id}/calls", {
          params: { path: { id }, query: { ...query, ...pageQuery(after) } },
        }),
      ),
  });
  return (
    <>
      <div className="filters">
        <ChoiceFilter filters={filters} name="outcome" label="What became of it" choices={OUTCOMES} />
        <TextFilter filters={filters} name="event" label="Event" />
        <TextFilter filters={filters} name="destinationId" label="Destination id" />
        <TextFilter filters={filters} name="userId" label="User id" />
        <TextFilter filters={filters} name="messageId" label="Message id" />
        <TextFilter filters={filters} name="from" label="From (ISO 8601)" />
        <TextFilter filters={filters} name="to" label="To (ISO 8601)" />
      </div>
      <Paged
        query={list}
        empty={
          <Empty title="No call is recorded">
            {filters.isAny
              ? "Change the filters above."
              : "Send a call with a write key of this source. With HOOKLINE_RECORDED_CALLS=none calls are not recorded."}
          </Empty>
        }
      >
        {(rows) => (
          <Table
            caption="Accepted calls, the newest first"
            rows={rows}
            keyOf={({ acceptedAt, anonymousId, messageId, userId }) =>
              `${acceptedAt} ${messageId} ${userId} ${anonymousId}`
            }
            columns={[
              {
                title: "Call",
                cell: (row) => (
                  <Link to={callPath({ ...row, sourceId: id })}>
                    <Text most={60}>{row.messageId}</Text>
                  </Link>
                ),
              },
              { title: "Accepted", cell: ({ acceptedAt }) => <Time at={acceptedAt} /> },
              { title: "Type", cell: ({ type }) => <Text>{type}</Text> },
              { title: "Event", cell: ({ event }) => <Text most={80}>{event}</Text> },
              { title: "User", cell: (ids) => <UserLink {...ids} /> },
              { title: "Became", cell: ({ outcome }) => <State of={outcome} /> },
              {
                title: "Destinations",
                isNumber: true,
                cell: ({ destinationIds }) => destinationIds.length,
              },
            ]}
          />
        )}
      </Paged>
    </>
  );
}
