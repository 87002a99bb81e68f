// One request to a webhook: what it answered, and how long each part took.
import type { Schemas } from "../api/client.ts";
import { Copyable } from "./copyable.tsx";
import { Facts } from "./facts.tsx";
import { mayGoOn } from "./kept-answer.ts";
import { pairsText } from "./pairs.ts";
import { Outcome } from "./state.tsx";
import { Block, Text } from "./text.tsx";
import { Time } from "./time.tsx";
import { duration } from "./times.ts";

function Response({ response }: Pick<Schemas["Attempt"], "response">) {
  if (response === null) return <p className="quiet">There was no answer.</p>;
  const headers = pairsText(response.headers);
  return (
    <>
      {headers !== "" && <Block label="Headers of the answer">{headers}</Block>}
      {response.body === null ? (
        <p className="quiet">The body of a success is not recorded.</p>
      ) : (
        <Block label="Body of the answer">{response.body}</Block>
      )}
      {response.body !== null && mayGoOn(response.body) && (
        <p className="quiet">The first 1 KiB is kept: there may have been more of it.</p>
      )}
    </>
  );
}

export function AttemptDetails({ of }: { readonly of: Schemas["Attempt"] }) {
  const { connection } = of;
  return (
    <section aria-label="One request">
      <Facts
        of={{
          Outcome: <Outcome of={of.outcome} status={of.status} />,
          ...(of.error !== null && { Error: <Text most={500}>{of.error}</Text> }),
          Sent: <Time at={of.startedAt} />,
          "Is tried again": of.outcome === "success" ? "no, it was delivered" : of.retryable ? "yes" : "no",
          "Message id": <Copyable text={of.messageId} what="message id" />,
          User: <Copyable text={of.userId ?? of.anonymousId} what="user id" />,
          Address: <Text>{connection.address}</Text>,
          "DNS · connect · TLS": `${duration(connection.dnsMs)} · ${duration(connection.connectMs)} · ${duration(connection.tlsMs)}`,
          "Answer after": duration(connection.waitMs),
          ...(of.replayId !== null && { Replay: <Copyable text={of.replayId} what="id of the replay" /> }),
          ...(of.suppressed > 0 && { "Failures before, not recorded": of.suppressed }),
        }}
      />
      {/* No heading: the pages that show a request have different ones above it. */}
      <p>
        <strong>Answer</strong>
      </p>
      <Response response={of.response} />
    </section>
  );
}
