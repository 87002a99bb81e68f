// One call: when it was accepted, and what became of it at every destination.
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer, Empty } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { SourceLink } from "../../elements/source-link.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { UserLink } from "../../elements/user-link.tsx";
import { idIn } from "../../elements/user-path.ts";
import { AtDestination } from "./at-destination.tsx";
import { callPath } from "./call-link.tsx";

const REFETCH_MS = 3_000;

type Call = Schemas["Call"];

function Accepted({ accepted }: Pick<Call, "accepted">) {
  if (accepted === null) return <p className="quiet">It is not recorded what the routers did with it.</p>;
  return (
    <ol className="timeline">
      {accepted.map(({ acceptedAt, destinationIds, outcome }) => (
        <li key={`${acceptedAt} ${outcome}`}>
          <Time at={acceptedAt} />: accepted, {outcome.replaceAll("_", " ")}
          {outcome === "routed" && ` to ${destinationIds.length}`}
        </li>
      ))}
    </ol>
  );
}

function Others({ call: { others, messageId, sourceId } }: { readonly call: Call }) {
  if (others.length === 0) return null;
  return (
    <>
      <h2>Calls of other users with this message id</h2>
      <ul>
        {others.map(({ anonymousId, receivedAt, userId }) => (
          <li key={`${userId} ${anonymousId}`}>
            <Link to={callPath({ messageId, sourceId, userId, anonymousId })}>
              <Text>{userId ?? anonymousId}</Text>
            </Link>{" "}
            <Time at={receivedAt} />
          </li>
        ))}
      </ul>
    </>
  );
}

function Shown({ call }: { readonly call: Call }) {
  const { anonymousId, destinations, indexedUntil, isComplete, sourceId } = call;
  return (
    <>
      <Facts
        of={{
          "Message id": <Copyable text={call.messageId} what="message id" />,
          Type: <Text>{call.type}</Text>,
          "User id": <Copyable text={call.userId} what="user id" />,
          ...(anonymousId !== null && {
            "Anonymous id": <Copyable text={anonymousId} what="anonymous id" />,
          }),
          User: <UserLink userId={call.userId} anonymousId={anonymousId} />,
          Source: <SourceLink id={sourceId} />,
          Received: <Time at={call.receivedAt} />,
        }}
      />
      {!isComplete && (
        <Empty title="Not all is known yet">
          What happened until <Time at={indexedUntil} /> is.
        </Empty>
      )}
      <Accepted accepted={call.accepted} />
      {destinations.map((each) => (
        <AtDestination key={each.destinationId} call={call} of={each} />
      ))}
      {destinations.length === 0 && <Empty title="No destination gets it">See above why.</Empty>}
      <Others call={call} />
    </>
  );
}

export function Call() {
  const messageId = idIn(useLocation().pathname);
  const query = useFilters().pick("sourceId", "userId", "anonymousId");
  const found = useQuery({
    queryKey: ["call", messageId, query],
    queryFn: () => answerOf(api.GET("/v1/calls/{messageId}", { params: { path: { messageId }, query } })),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Page title={`Call ${messageId}`}>
      <Answer query={found}>{(call) => <Shown call={call} />}</Answer>
    </Page>
  );
}
