// One replay: what it sends, and how far it is.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { Answer } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { DestinationLink } from "../../elements/destination-link.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Page } from "../../elements/page.tsx";
import { State } from "../../elements/state.tsx";
import { Json } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";

const REFETCH_MS = 2_000;

function Progress({ of: { calls, matched, replayed, state } }: { readonly of: Schemas["Replay"] }) {
  const [done, all] = calls === null ? [replayed, matched] : [calls.recordsRead, calls.recordsToRead];
  if (state !== "running" || all === 0) return null;
  return (
    <p>
      <progress aria-label="Progress of the replay" value={done} max={all} /> {done} of {all}{" "}
      {calls === null ? "dead letters" : "records"}
    </p>
  );
}

function Shown({ of }: { readonly of: Schemas["Replay"] }) {
  const { destinationId, toDestinationId } = of;
  return (
    <>
      <Progress of={of} />
      <Facts
        of={{
          State: <State of={of.state} />,
          ...(of.error !== null && { Why: of.error }),
          Id: <Copyable text={of.id} what="id" />,
          Found: of.matched,
          Sent: of.replayed,
          "Dead again": of.deadAgain,
          "Cannot be sent": of.skipped,
          Expired: of.expired,
          "Of deleted users": of.deleted,
          "Calls a second": of.callsPerSecond,
          Destination: <DestinationLink id={destinationId} />,
          "Sent to": <DestinationLink id={toDestinationId ?? destinationId} />,
          Begun: <Time at={of.createdAt} />,
          Changed: <Time at={of.updatedAt} />,
        }}
      />
      {of.deadAgain > 0 && (
        <p>
          <Link to={`/dead-letters?replayId=${encodeURIComponent(of.id)}`}>Those that died again</Link>
        </p>
      )}
      {of.state === "running" && (
        <Action
          label="End it"
          question="What it has sent stays sent; the rest is not sent."
          run={() => answerOf(api.DELETE("/v1/replays/{id}", { params: { path: { id: of.id } } }))}
        />
      )}
      <h2>What it means</h2>
      <Json
        label="Selection"
        value={{ ...of.calls, from: of.from, to: of.to, reason: of.reason, ids: of.ids }}
      />
    </>
  );
}

export function Replay() {
  const { id = "" } = useParams();
  const query = useQuery({
    queryKey: ["replay", id],
    queryFn: () => answerOf(api.GET("/v1/replays/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) =>
      state.data?.state === "running" || state.data === undefined ? REFETCH_MS : false,
  });
  return (
    <Page title="Replay">
      <Answer query={query}>{(replay) => <Shown of={replay} />}</Answer>
    </Page>
  );
}
