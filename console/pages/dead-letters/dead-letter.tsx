// One dead letter with the body of its call and the last outcome of each webhook.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { DestinationLink } from "../../elements/destination-link.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Page } from "../../elements/page.tsx";
import { Outcome } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Block, Json, Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { CallLink } from "../calls/call-link.tsx";
import { Replay } from "./list.tsx";

type Letter = Schemas["WholeDeadLetter"];

function Body({ of: { body, bodyBase64, bodyText, noBody } }: { readonly of: Letter }) {
  if (noBody !== null) return <p className="quiet">Its user was deleted: the body is not shown.</p>;
  if (bodyText !== null) return <Block label="Body of the call">{bodyText}</Block>;
  if (bodyBase64 !== null) return <Block label="Body of the call, in base64">{bodyBase64}</Block>;
  return <Json label="Body of the call" value={body} />;
}

function Shown({ of }: { readonly of: Letter }) {
  const { destinationId } = of;
  return (
    <>
      <Facts
        of={{
          Reason: of.reason.replaceAll("_", " "),
          Message: <Text most={1_000}>{of.message}</Text>,
          Died: <Time at={of.deadAt} />,
          Received: <Time at={of.receivedAt} />,
          Attempts: of.attempts,
          Destination: <DestinationLink id={destinationId} />,
          Call: <CallLink of={of} most={200} />,
          ...(of.issueIds.length > 0 && {
            Issues: of.issueIds.map((id) => (
              <div key={id}>
                <Link to={`/issues/${id}`}>{id}</Link>
              </div>
            )),
          }),
          User: <Copyable text={of.userId ?? of.anonymousId} what="user id" />,
          Id: <Copyable text={of.id} what="id" />,
        }}
      />
      <Replay
        label="Send it again"
        question="The call is sent to its destination once more, with its message id and body."
        selection={{ ids: [of.id] }}
        disabled={!of.replayable}
      />
      {!of.replayable && <p className="quiet">It cannot be sent again.</p>}
      <h2>Last outcomes</h2>
      <Table
        caption="Last outcome of each webhook"
        rows={of.webhooks}
        keyOf={({ webhookId }) => webhookId}
        columns={[
          { title: "Webhook", cell: ({ url }) => <Text>{url}</Text> },
          { title: "Outcome", cell: ({ reason, status }) => <Outcome of={reason} status={status} /> },
          { title: "Error", cell: ({ error }) => <Text most={300}>{error}</Text> },
          { title: "When", cell: ({ at }) => <Time at={at} /> },
        ]}
      />
      <h2>Body</h2>
      <Body of={of} />
    </>
  );
}

export function DeadLetter() {
  const { id = "" } = useParams();
  const query = useQuery({
    queryKey: ["dead-letter", id],
    queryFn: () => answerOf(api.GET("/v1/dead-letters/{id}", { params: { path: { id } } })),
  });
  return (
    <Page title="Dead letter">
      <Answer query={query}>{(letter) => <Shown of={letter} />}</Answer>
    </Page>
  );
}
