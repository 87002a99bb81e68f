// How a destination does: its health, its webhooks, its requests of the last hour.
import { lazy, Suspense } from "react";
import { Link } from "react-router";
import { Answer, Loading } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { duration, share } from "../../elements/times.ts";
import { attemptCounts, type Destination, useDestination, useStats, useWaitingSummary } from "./queries.ts";

const Chart = lazy(async () => ({ default: (await import("./chart.tsx")).Chart }));
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
        { title: "Is asked", cell: ({ breaker }) => <State of={breaker.state} /> },
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

function Requests({ id }: { readonly id: string }) {
  return (
    <Answer query={useStats(id)}>
      {(stats) => {
        const { success, all } = attemptCounts(stats.total.attempts);
        if (all === 0) return <p className="quiet">No request was made in the last hour.</p>;
        return (
          <>
            <Facts
              of={{
                Requests: all,
                Success: share(success, all),
                p50: duration(stats.total.p50Ms),
                p95: duration(stats.total.p95Ms),
                p99: duration(stats.total.p99Ms),
              }}
            />
            <Suspense fallback={<Loading />}>
              <Chart stats={stats} />
            </Suspense>
            <ul>
              {Object.entries(stats.total.attempts).map(([outcome, count]) => (
                <li key={outcome}>
                  <Link to={`attempts?outcome=${outcome}`}>{outcome.replaceAll("_", " ")}</Link>: {count}
                </li>
              ))}
            </ul>
          </>
        );
      }}
    </Answer>
  );
}

function WaitingLine({ id }: { readonly id: string }) {
  return (
    <Answer query={useWaitingSummary(id, WAITING_MS)}>
      {(summary) =>
        summary === null || summary.calls === 0 ? (
          <p className="quiet">No call waits.</p>
        ) : (
          <p>
            <Link to="waiting">
              {summary.isComplete ? "" : "at least "}
              {summary.calls} calls
            </Link>{" "}
            wait, the oldest of <Time at={summary.oldestReceivedAt} />.
          </p>
        )
      }
    </Answer>
  );
}

export function Summary() {
  const destination = useDestination();
  const { id, warnings = [] } = destination;
  return (
    <>
      <Health health={destination.health} />
      {destination.disabledReason !== null && (
        <div className="note bad">
          <Text>{destination.disabledReason}</Text>
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
      <h2>Requests of the last hour</h2>
      <Requests id={id} />
    </>
  );
}
