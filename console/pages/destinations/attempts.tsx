// The requests to a destination's webhooks, each with its answer.
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { OUTCOME_REASONS } from "../../api/tables.generated.ts";
import { AttemptDetails } from "../../elements/attempt-details.tsx";
import { ChoiceFilter, emptyList, TextFilter, useFilters } from "../../elements/filters.tsx";
import { useOpenRow } from "../../elements/open-row.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Outcome } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { duration } from "../../elements/times.ts";
import { UserLink } from "../../elements/user-link.tsx";
import { CallLink } from "../calls/call-link.tsx";
import { useDestination } from "./queries.ts";

type Attempt = Schemas["Attempt"];

const OUTCOMES = ["success", "failed", ...OUTCOME_REASONS];

const keyOf = ({ startedAt, messageId, webhookId, attempt, userId }: Attempt): string =>
  `${startedAt} ${messageId} ${webhookId} ${attempt} ${userId}`;

export function Attempts() {
  const { id } = useDestination();
  const filters = useFilters();
  const { isOpen, opener } = useOpenRow();
  const texts = ["status", "sourceId", "event", "messageId", "userId", "from", "to"] as const;
  const query = filters.pick("outcome", ...texts) as {
    readonly outcome?: Schemas["AttemptFilter"];
  };
  const list = usePaged<Attempt>({
    key: ["attempts", id, query],
    load: (page) =>
      answerOf(
        api.GET("/v1/destinations/{id}/attempts", { params: { path: { id }, query: { ...query, ...page } } }),
      ),
  });
  return (
    <>
      <div className="filters">
        <ChoiceFilter filters={filters} name="outcome" label="Outcome" choices={OUTCOMES} />
        <TextFilter filters={filters} name="status" label="Status" placeholder="503 or 5xx" />
        <TextFilter filters={filters} name="sourceId" label="Source id" />
        <TextFilter filters={filters} name="event" label="Event" />
        <TextFilter filters={filters} name="messageId" label="Message id" />
        <TextFilter filters={filters} name="userId" label="User id" />
        <TextFilter filters={filters} name="from" label="From (ISO 8601)" />
        <TextFilter filters={filters} name="to" label="To (ISO 8601)" />
      </div>
      <Paged
        query={list}
        empty={emptyList(
          filters,
          "No request is recorded",
          "Send a call, or a test call. Of many successes one a second is recorded unless HOOKLINE_RECORDED_ATTEMPTS is all.",
        )}
      >
        {(rows) => (
          <Table
            caption="Requests, the newest first"
            rows={rows}
            keyOf={keyOf}
            below={(row) => (isOpen(keyOf(row)) ? <AttemptDetails of={row} /> : undefined)}
            columns={[
              {
                title: "Outcome",
                cell: (row) => opener(keyOf(row), <Outcome of={row.outcome} status={row.status} />),
              },
              { title: "When", cell: ({ startedAt }) => <Time at={startedAt} /> },
              { title: "Took", isNumber: true, cell: ({ durationMs }) => duration(durationMs) },
              { title: "Attempt", isNumber: true, cell: ({ attempt }) => attempt },
              { title: "Call", cell: (row) => <CallLink of={row} /> },
              {
                title: "User",
                cell: ({ userId, anonymousId }) => <UserLink userId={userId} anonymousId={anonymousId} />,
              },
              { title: "Webhook", cell: ({ url }) => <Text most={80}>{url}</Text> },
            ]}
          />
        )}
      </Paged>
    </>
  );
}
