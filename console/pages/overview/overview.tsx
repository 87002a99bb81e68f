// What needs somebody: destinations that fail, issues that nobody works on, calls that died, replays that run.
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { CallStats } from "../../elements/call-stats.tsx";
import { DestinationLink } from "../../elements/destination-link.tsx";
import { Page } from "../../elements/page.tsx";
import { pageQuery } from "../../elements/paged.tsx";
import { Table } from "../../elements/table.tsx";
import { DEATH } from "../dead-letters/list.tsx";
import { IssueTable } from "../issues/list.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { FlowPicture, useFlow } from "./flow.tsx";
import { Troubled } from "./troubled.tsx";

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
                ...DEATH,
                { title: "Destination", cell: ({ destinationId: id }) => <DestinationLink id={id} /> },
              ]}
            />
            <Link to="/dead-letters">All dead letters</Link>
          </>
        )
      }
    </Answer>
  );
}

/** The list begins with the oldest, and most have ended. */
async function runningReplays(): Promise<readonly Schemas["Replay"][]> {
  const running: Schemas["Replay"][] = [];
  let after: string | null | undefined;
  while (after !== null) {
    const page: Schemas["ReplayPage"] = await answerOf(
      api.GET("/v1/replays", { params: { query: pageQuery(after) } }),
    );
    running.push(...page.data.filter(({ state }) => state === "running"));
    after = page.next;
  }
  return running;
}

function Running() {
  const query = useQuery({
    queryKey: ["running-replays"],
    queryFn: runningReplays,
    refetchInterval: REFETCH_MS,
  });
  return (
    <Answer query={query}>
      {(running) => {
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
