// How a destination does: its health, its webhooks, its requests of the last hour.
import { Link } from "react-router";
import { Answer } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { waitingText } from "../../elements/times.ts";
import { type Destination, useDestination, useWaitingSummary } from "./queries.ts";
import { Statistics } from "./statistics.tsx";

const WAITING_MS = 15_000;

function Health({ health }: Pick<Destination, "health">) {
  const { consecutiveFailures, lastError, since, state } = health;
  return (
    <>
      <Facts
        of={{
          Health: <State of={state} />,
          Since: <Time at={since} />,
          "Failures in a row": consecutiveFailures,
          ...(lastError !== null && {
            "Last failure": (
              <>
                <Outcome of={lastError.outcome} status={lastError.status} /> <Time at={lastError.at} />{" "}
                <Text>{lastError.message}</Text>
              </>
            ),
          }),
        }}
      />
      {lastError !== null && (
        <Link to="attempts?outcome=failed">Its failed requests, with their answers</Link>
      )}
    </>
  );
}

function Webhooks({ webhooks, health }: Pick<Destination, "webhooks" | "health">) {
  return (
    <Table
      caption="Webhooks"
      rows={webhooks}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "URL",
          cell: ({ maskedUrl }) => (
            <code>
              <Text>{maskedUrl}</Text>
            </code>
          ),
        },
        { title: "Breaker", cell: ({ breaker }) => <State of={breaker.state} /> },
        { title: "Next probe", cell: ({ breaker }) => <Time at={breaker.nextProbeAt} /> },
        {
          title: "Fails since",
          cell: ({ id }) => (
            <Time at={health.reasons.find(({ webhookId }) => webhookId === id)?.since ?? null} />
          ),
        },
        { title: "Id", cell: ({ id }) => <Copyable text={id} what="id of the webhook" /> },
      ]}
    />
  );
}

function WaitingLine({ id }: { readonly id: string }) {
  return (
    <Answer query={useWaitingSummary(id, WAITING_MS)}>
      {(summary) => {
        const text = waitingText(summary, "call");
        if (text === undefined) return <p className="quiet">How many calls wait for it is not known now.</p>;
        if (summary === null || summary.calls === 0) return <p className="quiet">No call waits.</p>;
        return (
          <p>
            Waiting: <Link to="waiting">{text}</Link>, the oldest of <Time at={summary.oldestReceivedAt} />.
          </p>
        );
      }}
    </Answer>
  );
}

export function Summary() {
  const destination = useDestination();
  const { id, warnings = [] } = destination;
  return (
    <>
      <Health health={destination.health} />
      {!destination.enabled && (
        <div className="note bad">
          <strong>It is off: no call is sent to it.</strong>
          {destination.disabledReason !== null && (
            <p>
              <Text most={500}>{destination.disabledReason}</Text>
            </p>
          )}
          <p>
            It is switched on in its <Link to="settings">settings</Link>.
          </p>
        </div>
      )}
      {destination.sourceIds.length === 0 && (
        <div className="note">
          <strong>It has no source, so no call.</strong>
          <p>
            <Link to="edit">Choose one</Link>.
          </p>
        </div>
      )}
      {warnings.map(({ path, message }) => (
        <div className="note" key={`${path} ${message}`}>
          <code>{path}</code> <Text most={500}>{message}</Text>
        </div>
      ))}
      <h2>Webhooks</h2>
      <Webhooks {...destination} />
      <h2>Waiting</h2>
      <WaitingLine id={id} />
      <h2>Requests and calls</h2>
      <Statistics id={id} />
    </>
  );
}
