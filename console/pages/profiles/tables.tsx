// What is known of one user, a table for each kind.
import { Link } from "react-router";
import type { Schemas } from "../../api/client.ts";
import { SourceLink } from "../../elements/source-link.tsx";
import { State } from "../../elements/state.tsx";
import { type Column, Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { CallLink } from "../calls/call-link.tsx";

export type Profile = Schemas["Profile"];

type Named = Profile["computedTraits"][number];

function valueText(value: unknown): string {
  return JSON.stringify(value) ?? "–";
}

export function Traits({ of: { traits } }: { readonly of: Profile }) {
  if (traits.length === 0) return <p className="quiet">No identify call has set one.</p>;
  return (
    <Table
      caption="Traits"
      rows={traits}
      keyOf={({ key }) => key}
      columns={[
        { title: "Trait", cell: ({ key }) => <Text>{key}</Text> },
        { title: "Value", cell: ({ value }) => <Text most={500}>{valueText(value)}</Text> },
        { title: "Set", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
      ]}
    />
  );
}

const SINCE: readonly Column<Pick<Named, "since" | "isIncomplete">>[] = [
  { title: "Since", cell: ({ since }) => <Time at={since} /> },
  { title: "Counts all", cell: ({ isIncomplete }) => (isIncomplete ? "no: there was no room" : "yes") },
];

export function ComputedTraits({ of: { computedTraits } }: { readonly of: Profile }) {
  if (computedTraits.length === 0) return <p className="quiet">No computed trait has a value.</p>;
  return (
    <Table
      caption="Computed traits"
      rows={computedTraits}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Computed trait",
          cell: ({ id, name }) => (
            <Link to={`/traits/${encodeURIComponent(id)}`}>
              <Text>{name}</Text>
            </Link>
          ),
        },
        { title: "Value", cell: ({ value }) => <Text most={500}>{valueText(value)}</Text> },
        ...SINCE,
      ]}
    />
  );
}

export function Audiences({ of: { audiences, userId } }: { readonly of: Profile }) {
  if (audiences.length === 0) return <p className="quiet">This user was in no audience.</p>;
  const why = userId === null ? "" : `?userId=${encodeURIComponent(userId)}`;
  return (
    <Table
      caption="Audiences"
      rows={audiences}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Audience",
          cell: ({ id, name }) => (
            <Link to={`/audiences/${encodeURIComponent(id)}`}>
              <Text>{name}</Text>
            </Link>
          ),
        },
        { title: "State", cell: ({ member }) => <State of={member ? "member" : "left"} /> },
        ...SINCE,
        {
          title: "Why",
          cell: ({ id }) =>
            why === "" ? "–" : <Link to={`/audiences/${encodeURIComponent(id)}${why}`}>Why</Link>,
        },
      ]}
    />
  );
}

export function Events({ of: { events } }: { readonly of: Profile }) {
  if (events.length === 0) return <p className="quiet">No call is counted.</p>;
  return (
    <Table
      caption="Events, the last first"
      rows={events}
      keyOf={({ name, type }) => `${type} ${name}`}
      columns={[
        { title: "Event", cell: ({ name }) => <Text most={100}>{name}</Text> },
        { title: "Type", cell: ({ type }) => type },
        { title: "Calls", isNumber: true, cell: ({ count }) => count.toLocaleString("en") },
        { title: "First", cell: ({ firstAt }) => <Time at={firstAt} /> },
        { title: "Last", cell: ({ lastAt }) => <Time at={lastAt} /> },
      ]}
    />
  );
}

export function Calls({ of: { calls } }: { readonly of: Profile }) {
  const { data, from } = calls;
  return (
    <>
      {data.length === 0 ? (
        <p className="quiet">No recorded call was found.</p>
      ) : (
        <Table
          caption="Calls, the newest first"
          rows={data}
          keyOf={(call) => `${call.receivedAt} ${call.sourceId} ${call.messageId} ${call.outcome}`}
          columns={[
            { title: "Call", cell: (call) => <CallLink of={call} /> },
            { title: "Type", cell: ({ type }) => type },
            { title: "Received", cell: ({ receivedAt }) => <Time at={receivedAt} /> },
            { title: "Routers", cell: ({ outcome }) => <State of={outcome} /> },
            {
              title: "Source",
              cell: ({ sourceId }) => <SourceLink id={sourceId} />,
            },
          ]}
        />
      )}
      {from !== null && (
        <p className="quiet">
          Calls were looked for back to about <Time at={from} />.
        </p>
      )}
    </>
  );
}
