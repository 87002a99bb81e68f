// One call at one destination: what happened, what comes next, and sending it again.
import { useState } from "react";
import { Link } from "react-router";
import { ask, type Schemas } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { AttemptDetails } from "../../elements/attempt-details.tsx";
import { DestinationLink } from "../../elements/destination-link.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { amount, duration } from "../../elements/times.ts";
import { SendElsewhere } from "./send-elsewhere.tsx";
import { type CallId, Sent } from "./sent.tsx";
import { type TimelineEntry, timelineOf } from "./timeline.ts";

function Attempt({ of }: { readonly of: Schemas["Attempt"] }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Time at={of.startedAt} />: attempt {of.attempt} <Outcome of={of.outcome} status={of.status} /> after{" "}
      {duration(of.durationMs)}{" "}
      <button type="button" className="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {isOpen ? "Close" : "Request and answer"}
      </button>
      {isOpen && <AttemptDetails of={of} />}
    </>
  );
}

function Next({ of }: { readonly of: Schemas["NextAttempt"] }) {
  return (
    <>
      <State of={of.state} /> after {amount(of.attempts, "attempt")}, in {of.waitsIn}; next attempt{" "}
      <Time at={of.nextAttemptAt} />
    </>
  );
}

function Entry({ of }: { readonly of: TimelineEntry }) {
  if (of.kind === "attempt") return <Attempt of={of.attempt} />;
  if (of.kind === "next") return <Next of={of.next} />;
  return (
    <>
      <Time at={of.letter.deadAt} />: <State of="dead" /> {of.letter.reason.replaceAll("_", " ")}:{" "}
      <Text>{of.letter.message}</Text>{" "}
      <Link to={`/dead-letters/${encodeURIComponent(of.letter.id)}`}>Dead letter, with the body</Link>
    </>
  );
}

function keyOf(entry: TimelineEntry): string {
  if (entry.kind === "attempt")
    return `${entry.at} ${entry.attempt.webhookId} ${entry.attempt.attempt} ${entry.attempt.replayId}`;
  return entry.kind === "dead" ? entry.letter.id : `${entry.next.waitsIn} ${entry.next.replayId}`;
}

interface AtDestinationProps {
  readonly call: CallId;
  readonly of: Schemas["CallAtDestination"];
}

export function AtDestination({ call, of }: AtDestinationProps) {
  const { destinationId, name, passedOver, sendAgain, state } = of;
  const entries = timelineOf(of);
  return (
    <section className="card" aria-label={`At ${destinationId}`}>
      <h2>
        <DestinationLink id={destinationId} name={name} /> <State of={state} />
      </h2>
      {passedOver !== null && <p>It does not get this call: {passedOver.replaceAll("_", " ")}.</p>}
      {entries.length === 0 && passedOver === null && <p className="quiet">No request is recorded.</p>}
      <ol className="timeline">
        {entries.map((entry) => (
          <li key={keyOf(entry)}>
            <Entry of={entry} />
          </li>
        ))}
      </ol>
      <Sent call={call} destinationId={destinationId} />
      {(state === "delivered" || state === "dead") && (
        <SendElsewhere call={call} destinationId={destinationId} />
      )}
      {sendAgain !== null && (
        <Action
          label="Send it again"
          question="The call is sent to this destination once more, with its message id and body."
          run={() => ask(sendAgain.method, sendAgain.path, sendAgain.body)}
          done={() => "It is being sent."}
        />
      )}
    </section>
  );
}
