// What needs somebody: destinations that fail, issues that nobody works on, calls that died, replays that run.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { CallStats } from "../../elements/call-stats.tsx";
import { Page } from "../../elements/page.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { IssueTable } from "../issues/list.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { FlowPicture, useFlow } from "./flow.tsx";

const TROUBLED = ["failing", "breaker_open", "recovering"] as const;
const ROWS = 20;
const LATEST = 10;
const REFETCH_MS = 5_000;

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

async function troubled(): Promise<readonly Schemas["Destination"][]> {
  const pages = await Promise.all(
    TROUBLED.map((health) =>
      answerOf(api.GET("/v1/destinations", { params: { query: { health, limit: ROWS } } })),
    ),
  );
  return pages.flatMap(({ data }) => data);
}

function Troubled() {
  const query = useQuery({ queryKey: ["troubled"], queryFn: troubled, refetchInterval: REFETCH_MS });
  return (
    <Answer query={query}>
      {(rows) =>
        rows.length === 0 ? (
          <p className="quiet">No destination fails.</p>
        ) : (
          <Table
            caption="Destinations that fail"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                title: "Destination",
                cell: ({ id, name }) => (
                  <Link to={`/destinations/${id}`}>
                    <Text>{name}</Text>
                  </Link>
                ),
              },
              { title: "Health", cell: ({ health }) => <State of={health.state} /> },
              { title: "Since", cell: ({ health }) => <Time at={health.since} /> },
              {
                title: "Last failure",
                cell: ({ health: { lastError } }) =>
                  lastError === null ? (
                    "–"
                  ) : (
                    <>
                      <Outcome of={lastError.outcome} status={lastError.status} />{" "}
                      <Text>{lastError.message}</Text>
                    </>
                  ),
              },
            ]}
          />
        )
      }
    </Answer>
  );
}

function OpenIssues() {
  const query = useQuery({
    queryKey: ["open-issues"],
    queryFn: () => answerOf(api.GET("/v1/issues", { params: { query: { state: "open", limit: LATEST } } })),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Answer query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="quiet">No issue is open.</p>
        ) : (
          <>
            <IssueTable rows={data} />
            <Link to="/issues">All issues</Link>
          </>
        )
      }
    </Answer>
  );
}

function Dead() {
  const query = useQuery({
    queryKey: ["latest-dead"],
    queryFn: () => answerOf(api.GET("/v1/dead-letters", { params: { query: { limit: LATEST } } })),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Answer query={query}>
      {({ data }) =>
        data.length === 0 ? (
          <p className="quiet">No call has died in fourteen days.</p>
        ) : (
          <>
            <Table
              caption="The latest dead letters"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: "Died",
                  cell: ({ deadAt, id }) => (
                    <Link to={`/dead-letters/${id}`}>
                      <Time at={deadAt} />
                    </Link>
                  ),
                },
                { title: "Reason", cell: ({ reason }) => reason.replaceAll("_", " ") },
                { title: "Message", cell: ({ message }) => <Text most={160}>{message}</Text> },
                {
                  title: "Destination",
                  cell: ({ destinationId: id }) =>
                    id === null ? "–" : <Link to={`/destinations/${id}`}>{id}</Link>,
                },
              ]}
            />
            <Link to="/dead-letters">All dead letters</Link>
          </>
        )
      }
    </Answer>
  );
}

function Running() {
  const query = useQuery({
    queryKey: ["latest-replays"],
    queryFn: () => answerOf(api.GET("/v1/replays", { params: { query: { limit: ROWS } } })),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Answer query={query}>
      {({ data }) => {
        const running = data.filter(({ state }) => state === "running");
        if (running.length === 0) return <p className="quiet">No replay runs.</p>;
        return (
          <ul>
            {running.map(({ id, matched, replayed }) => (
              <li key={id}>
                <Link to={`/replays/${id}`}>{id}</Link>: {replayed} of {matched} sent
              </li>
            ))}
          </ul>
        );
      }}
    </Answer>
  );
}

export function Overview() {
  const flow = useFlow();
  // Nothing can have failed yet.
  if (flow.data?.sources.length === 0 && flow.data.destinations.length === 0)
    return (
      <Page title="Overview">
        <Section title="Nothing is set up yet">
          <p>
            Hookline takes the calls of your websites, apps and servers, such as &ldquo;ann has completed an
            order&rdquo;, and sends each to your webhooks.
          </p>
          <FirstSteps destinations={[]} sources={[]} />
        </Section>
      </Page>
    );
  return (
    <Page title="Overview">
      <Section title="Now">
        <Answer query={flow}>{(of) => <FlowPicture of={of} />}</Answer>
      </Section>
      <Section title="Destinations that fail">
        <Troubled />
      </Section>
      <Section title="Open issues">
        <OpenIssues />
      </Section>
      <Section title="Calls that died">
        <Dead />
      </Section>
      <Section title="Replays that run">
        <Running />
      </Section>
      <Section title="Calls">
        <CallStats
          queryKey={["call-stats"]}
          paths={{ died: (reason) => `/dead-letters?reason=${encodeURIComponent(reason)}` }}
          load={(query) => answerOf(api.GET("/v1/stats", { params: { query } }))}
        />
      </Section>
    </Page>
  );
}
