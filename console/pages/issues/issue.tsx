// One issue: what fails since when, what the endpoint answered last, and what can be done about it.
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Link, useParams } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { Answer } from "../../elements/answer.tsx";
import { AttemptDetails } from "../../elements/attempt-details.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { DestinationLink, destinationPath } from "../../elements/destination-link.tsx";
import { Facts } from "../../elements/facts.tsx";
import { Page } from "../../elements/page.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { amount } from "../../elements/times.ts";
import { WithScope } from "../../elements/with-scope.tsx";
import { Replay } from "../dead-letters/list.tsx";

type Issue = Schemas["WholeIssue"];

const REFETCH_MS = 5_000;
const HOUR_MS = 3_600_000;
const SNOOZES = { "1 hour": HOUR_MS, "4 hours": 4 * HOUR_MS, "1 day": 24 * HOUR_MS, "7 days": 168 * HOUR_MS };

interface ChangeProps {
  readonly of: Issue;
  readonly label: string;
  /** The button is there in every state, so that what came of it stays to be read. */
  readonly disabled: boolean;
  readonly body: () => Schemas["IssueChange"];
}

function Change({ of: { id }, label, disabled, body }: ChangeProps) {
  return (
    <Action
      label={label}
      disabled={disabled}
      run={() => answerOf(api.PATCH("/v1/issues/{id}", { params: { path: { id } }, body: body() }))}
      done={({ state }) => `It is ${state}.`}
    />
  );
}

function Snooze({ of, disabled }: Pick<ChangeProps, "of" | "disabled">) {
  const selectId = useId();
  const [span, setSpan] = useState<keyof typeof SNOOZES>("1 day");
  const until = (): string => new Date(Date.now() + SNOOZES[span]).toISOString();
  return (
    <>
      <div className="filter">
        <label htmlFor={selectId}>Snooze for</label>
        <select
          id={selectId}
          value={span}
          onChange={({ target }) => setSpan(target.value as keyof typeof SNOOZES)}
        >
          {Object.keys(SNOOZES).map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </div>
      <Change
        of={of}
        label="Snooze"
        disabled={disabled}
        body={() => ({ state: "snoozed", snoozedUntil: until() })}
      />
    </>
  );
}

function Actions({ of }: { readonly of: Issue }) {
  const { changedAt, state } = of;
  const isResolved = state === "resolved";
  if (isResolved && changedAt === null)
    return <p className="quiet">It is resolved: it has not failed for a day.</p>;
  return (
    <WithScope scope="write" to="To change an issue">
      <div className="row">
        <Change
          of={of}
          label="Acknowledge"
          disabled={isResolved || state === "acknowledged"}
          body={() => ({ state: "acknowledged" })}
        />
        <Change of={of} label="Resolve" disabled={isResolved} body={() => ({ state: "resolved" })} />
        <Change of={of} label="Open again" disabled={state === "open"} body={() => ({ state: "open" })} />
        <Snooze of={of} disabled={isResolved} />
      </div>
    </WithScope>
  );
}

function Dead({ of: { deadLetters, destinationId, id, sendAgain } }: { readonly of: Issue }) {
  if (deadLetters === 0) return <p className="quiet">No call has died of it.</p>;
  const query = new URLSearchParams({ destinationId, issueId: id });
  return (
    <>
      <p>
        <Link to={`/dead-letters?${query}`}>{amount(deadLetters, "call")}</Link> died of it.
      </p>
      <Replay
        label="Send what died of it again"
        question="Every call that died of this issue is sent to its destination again, also what was sent again before."
        selection={{ issueId: id }}
        disabled={sendAgain === null}
      />
    </>
  );
}

interface StatusesProps extends Pick<Issue, "statuses"> {
  readonly choose: (status: number) => void;
}

/** What was answered, where that was more than one thing; the last request of one is shown below. */
function Statuses({ choose, statuses }: StatusesProps) {
  if (statuses.length < 2) return null;
  return (
    <>
      <h2>What was answered</h2>
      <Table
        caption="Statuses, the most frequent first"
        rows={statuses}
        keyOf={({ status }) => String(status)}
        columns={[
          { title: "Status", cell: ({ status }) => status },
          { title: "Requests", isNumber: true, cell: ({ requests }) => requests },
          { title: "Dead", isNumber: true, cell: ({ deadLetters }) => deadLetters },
          { title: "Last", cell: ({ lastAt }) => <Time at={lastAt} /> },
          { title: "Error", cell: ({ error }) => <Text most={120}>{error}</Text> },
          {
            title: "Its last request",
            cell: ({ attempt, status }) =>
              attempt !== null && (
                <button type="button" onClick={() => choose(status)}>{`Show the last ${status}`}</button>
              ),
          },
        ]}
      />
    </>
  );
}

function Requests({ of }: { readonly of: Issue }) {
  const { attempts, statuses } = of;
  const [chosen, choose] = useState<number>();
  const shown = statuses.find(({ status }) => status === chosen)?.attempt ?? attempts[0];
  return (
    <>
      <Statuses statuses={statuses} choose={choose} />
      <h2>{chosen === undefined ? "The last request" : `The last request with ${chosen}`}</h2>
      {shown === undefined ? (
        <p className="quiet">No request of it is kept.</p>
      ) : (
        <AttemptDetails of={shown} />
      )}
    </>
  );
}

function Shown({ of }: { readonly of: Issue }) {
  const attempts = `${destinationPath(of.destinationId)}/attempts?outcome=${of.reason}`;
  return (
    <>
      <Facts
        of={{
          "Fails with": <Outcome of={of.reason} status={of.status} />,
          Error: <Text most={500}>{of.error}</Text>,
          Destination: <DestinationLink id={of.destinationId} name={of.destinationName} />,
          Webhook: <Text>{of.url}</Text>,
          Since: <Time at={of.openedAt} />,
          "Last failure": <Time at={of.lastAt} />,
          "First failure": <Time at={of.firstAt} />,
          "Failed requests": of.requests,
          ...(of.changedBy !== null && {
            "Changed by": (
              <>
                <Text>{of.changedBy}</Text> <Time at={of.changedAt} />
              </>
            ),
          }),
          ...(of.snoozedUntil !== null && { "Snoozed until": <Time at={of.snoozedUntil} /> }),
          Id: <Copyable text={of.id} what="id of the issue" />,
        }}
      />
      <Actions of={of} />
      <Requests of={of} />
      {of.requests > 0 && <Link to={attempts}>All of them</Link>}
      <h2>Calls that died</h2>
      <Dead of={of} />
    </>
  );
}

export function IssuePage() {
  const { id = "" } = useParams();
  const query = useQuery({
    queryKey: ["issue", id],
    queryFn: () => answerOf(api.GET("/v1/issues/{id}", { params: { path: { id } } })),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Answer title="Issue" query={query}>
      {(issue) => (
        <Page
          title={`${issue.destinationName ?? issue.destinationId}: ${issue.reason.replaceAll("_", " ")}`}
          beside={<State of={issue.state} />}
        >
          <Shown of={issue} />
        </Page>
      )}
    </Answer>
  );
}
