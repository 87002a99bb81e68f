// What the webhooks of a destination are sent of a call: the body, the headers, and a command that sends it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { CopyButton } from "../../elements/copyable.tsx";
import { pairsText } from "../../elements/pairs.ts";
import { Block, Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";

export type CallId = Pick<Schemas["Call"], "messageId" | "sourceId" | "userId" | "anonymousId">;

type SentCall = Schemas["SentCall"];

const WHY: Readonly<Record<NonNullable<SentCall["noBody"]>, string>> = {
  user_deleted: "The user of this call was deleted: nothing of it is shown.",
  not_recorded: "Where the body of this call stands is not recorded.",
  no_longer_kept:
    "The body of this call is no longer kept: calls are for three days, dead letters for fourteen.",
};

function SentTime({ of: { isAsSent, sentAt } }: { readonly of: Schemas["SentRequest"] }) {
  if (sentAt === null) return <p className="quiet">As it would be sent now: no request to it is recorded.</p>;
  return (
    <p className="quiet">
      {isAsSent
        ? "As sent "
        : "As it would be sent now: the destination was changed since, or as, it was sent "}
      <Time at={sentAt} />.
    </p>
  );
}

function Request({ of }: { readonly of: Schemas["SentRequest"] }) {
  return (
    <>
      <h4>
        To <Text>{of.url}</Text>
      </h4>
      <SentTime of={of} />
      <Block label={`Headers to ${of.webhookId}`}>{pairsText(of.headers)}</Block>
      <p>
        <span aria-hidden="true">As curl: </span>
        <CopyButton text={of.curl} what={`the request to ${of.webhookId} as curl`} />{" "}
        <span className="quiet">The shell names the secrets that it needs.</span>
      </p>
    </>
  );
}

function Shown({ of: { bodyText, noBody, requests } }: { readonly of: SentCall }) {
  if (bodyText === null) return <p className="quiet">{WHY[noBody ?? "not_recorded"]}</p>;
  return (
    <>
      <Block label="Body of the call">{bodyText}</Block>
      {requests.length === 0 && <p className="quiet">The destination has no webhook now.</p>}
      {requests.map((request) => (
        <Request key={request.webhookId} of={request} />
      ))}
    </>
  );
}

/** `userId` alone where both are known: such a call is its userId's. */
export function userOf({ anonymousId, userId }: Pick<CallId, "userId" | "anonymousId">) {
  if (userId !== null) return { userId };
  return anonymousId === null ? {} : { anonymousId };
}

export const ofUser = (call: CallId) => ({ sourceId: call.sourceId, ...userOf(call) });

function Asked({ call, destinationId }: { readonly call: CallId; readonly destinationId: string }) {
  const { messageId } = call;
  const query = ofUser(call);
  const sent = useQuery({
    queryKey: ["sent", messageId, query, destinationId],
    queryFn: () =>
      answerOf(
        api.GET("/v1/calls/{messageId}/destinations/{destinationId}", {
          params: { path: { messageId, destinationId }, query },
        }),
      ),
  });
  return <Answer query={sent}>{(of) => <Shown of={of} />}</Answer>;
}

/** Read from Kafka when somebody wants to see it. */
export function Sent(of: { readonly call: CallId; readonly destinationId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <p>
        <button type="button" className="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          Body and headers
        </button>
      </p>
      {isOpen && (
        <section aria-label={`Sent to ${of.destinationId}`}>
          <h3>What is sent</h3>
          <Asked {...of} />
        </section>
      )}
    </>
  );
}
