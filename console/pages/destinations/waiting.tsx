// Calls that wait for a destination; each can be sent now.
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { Empty } from "../../elements/answer.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { callPath } from "../calls/paths.ts";
import { useDestination } from "./queries.ts";

type WaitingCall = Schemas["WaitingCall"];

const ROWS = 50;
const REFETCH_MS = 10_000;

function userOf({ userId, anonymousId }: WaitingCall): { userId?: string; anonymousId?: string } {
  if (userId !== null) return { userId };
  return anonymousId === null ? {} : { anonymousId };
}

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

export function Waiting() {
  const { id } = useDestination();
  const list = usePaged<WaitingCall>({
    key: ["waiting", id],
    load: (after) =>
      answerOf(
        api.GET("/v1/destinations/{id}/waiting", {
          params: { path: { id }, query: { limit: ROWS, ...(after && { after }) } },
        }),
      ),
    refetchMs: REFETCH_MS,
  });
  return (
    <Paged query={list} empty={<Empty title="No call waits">All were delivered, or have died.</Empty>}>
      {(rows) => (
        <Table
          caption="Calls that wait"
          rows={rows}
          keyOf={({ messageId, userId, anonymousId, replayId }) =>
            `${messageId} ${userId} ${anonymousId} ${replayId}`
          }
          columns={[
            {
              title: "Call",
              cell: (row) => (
                <Link to={callPath(row)}>
                  <Text most={60}>{row.messageId}</Text>
                </Link>
              ),
            },
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
      )}
    </Paged>
  );
}
