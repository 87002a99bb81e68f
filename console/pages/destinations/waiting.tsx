// Calls that wait for a destination; each can be sent now.
import { answerOf, api, type Schemas } from "../../api/client.ts";
import type { paths } from "../../api/openapi.generated.ts";
import { OUTCOME_REASONS } from "../../api/tables.generated.ts";
import { Action } from "../../elements/action.tsx";
import { ChoiceFilter, emptyList, type Filters, TextFilter, useFilters } from "../../elements/filters.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { CallLink } from "../calls/call-link.tsx";
import { userOf } from "../calls/sent.tsx";
import { useDestination } from "./queries.ts";

type WaitingCall = Schemas["WaitingCall"];

const REFETCH_MS = 10_000;
const STATES: readonly WaitingCall["state"][] = ["queued", "waiting", "paused"];
/** A call may have been put off without a request, too. */
const REASONS = ["diverted", ...OUTCOME_REASONS];

function SendNow({ id, call }: { readonly id: string; readonly call: WaitingCall }) {
  const body = { messageIds: [call.messageId], ...userOf(call) };
  return (
    <Action
      label="Send now"
      run={() => answerOf(api.POST("/v1/destinations/{id}/retry", { params: { path: { id } }, body }))}
      done={(answer) =>
        "notWaiting" in answer && (answer.notWaiting ?? []).length > 0
          ? "It does not wait any more."
          : "It is being sent."
      }
    />
  );
}

function Rows({ id, rows }: { readonly id: string; readonly rows: readonly WaitingCall[] }) {
  return (
    <Table
      caption="Calls that wait"
      rows={rows}
      keyOf={({ sourceId, messageId, userId, anonymousId, replayId }) =>
        [sourceId, messageId, userId, anonymousId, replayId].join(" ")
      }
      columns={[
        { title: "Call", cell: (row) => <CallLink of={row} /> },
        { title: "State", cell: ({ state }) => <State of={state} /> },
        { title: "Next attempt", cell: ({ nextAttemptAt }) => <Time at={nextAttemptAt} /> },
        { title: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
        {
          title: "Last outcomes",
          cell: ({ webhooks }) =>
            webhooks.map(({ webhookId, reason, status, error }) => (
              <div key={webhookId}>
                <Outcome of={reason} status={status} /> <Text most={120}>{error}</Text>
              </div>
            )),
        },
        {
          title: "User",
          cell: ({ userId, anonymousId }) => <Text most={60}>{userId ?? anonymousId}</Text>,
        },
        { title: "Received", cell: ({ receivedAt }) => <Time at={receivedAt} /> },
        { title: "Do", cell: (row) => <SendNow id={id} call={row} /> },
      ]}
    />
  );
}

type WaitingQuery = NonNullable<paths["/v1/destinations/{id}/waiting"]["get"]["parameters"]["query"]>;

/** With how many there are, as a list has it. */
async function load(id: string, query: WaitingQuery) {
  const request = api.GET("/v1/destinations/{id}/waiting", { params: { path: { id }, query } });
  const { summary, ...page } = await answerOf(request);
  if (summary === null) return page;
  const { calls, isComplete } = summary;
  return { ...page, total: isComplete ? calls : null, atLeast: calls };
}

function WaitingFilters({ filters }: { readonly filters: Filters }) {
  const { webhooks } = useDestination();
  return (
    <div className="filters">
      <ChoiceFilter filters={filters} name="state" label="State" choices={STATES} />
      <ChoiceFilter
        filters={filters}
        name="webhookId"
        label="Webhook"
        choices={webhooks.map(({ id, maskedUrl }) => [id, maskedUrl] as const)}
      />
      <ChoiceFilter filters={filters} name="reason" label="Last outcome" choices={REASONS} />
      <TextFilter filters={filters} name="minAttempts" label="Attempts, at least" />
      <TextFilter filters={filters} name="sourceId" label="Source id" />
      <TextFilter filters={filters} name="messageId" label="Message id" />
      <TextFilter filters={filters} name="userId" label="User id" />
    </div>
  );
}

export function Waiting() {
  const { id } = useDestination();
  const filters = useFilters();
  const minAttempts = filters.get("minAttempts");
  const query = {
    ...filters.pick("state", "webhookId", "reason", "sourceId", "messageId", "userId"),
    ...(minAttempts !== undefined && { minAttempts: Number(minAttempts) }),
  } as WaitingQuery;
  const list = usePaged<WaitingCall>({
    key: ["waiting", id, query],
    load: (page) => load(id, { ...query, ...page }),
    refetchMs: REFETCH_MS,
  });
  const empty = emptyList(filters, "No call waits", "All were delivered, or have died.");
  return (
    <>
      <WaitingFilters filters={filters} />
      <Paged query={list} empty={empty}>
        {(rows) => <Rows id={id} rows={rows} />}
      </Paged>
    </>
  );
}
