// What fails: of all destinations or of one, what began last first.
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { ISSUE_STATES } from "../../api/tables.generated.ts";
import { DestinationLink } from "../../elements/destination-link.tsx";
import { ChoiceFilter, emptyList, TextFilter, useFilters } from "../../elements/filters.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Outcome, State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";

type Issue = Schemas["Issue"];

const countsOf = (statuses: Issue["statuses"]): string =>
  statuses.map(({ requests, status }) => `${status} × ${requests}`).join(", ");

export function IssueTable({ rows }: { readonly rows: readonly Issue[] }) {
  return (
    <Table
      caption="Issues, what began last first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          title: "Fails with",
          cell: ({ id, reason, status, statuses }) => (
            <>
              <Link to={`/issues/${id}`}>
                <Outcome of={reason} status={status} />
              </Link>
              {statuses.length > 1 && <div className="quiet">{countsOf(statuses)}</div>}
            </>
          ),
        },
        { title: "State", cell: ({ state }) => <State of={state} /> },
        {
          title: "Destination",
          cell: ({ destinationId, destinationName }) => (
            <DestinationLink id={destinationId} name={destinationName} />
          ),
        },
        { title: "Webhook", cell: ({ url }) => <Text most={80}>{url}</Text> },
        { title: "Since", cell: ({ openedAt }) => <Time at={openedAt} /> },
        { title: "Last", cell: ({ lastAt }) => <Time at={lastAt} /> },
        { title: "Requests", isNumber: true, cell: ({ requests }) => requests },
        { title: "Dead", isNumber: true, cell: ({ deadLetters }) => deadLetters },
      ]}
    />
  );
}

/** Of every destination unless one is given. */
export function IssueList({ destinationId }: { readonly destinationId?: string }) {
  const filters = useFilters();
  const given = filters.pick("destinationId", "state") as { readonly state?: Issue["state"] };
  const query = { ...given, ...(destinationId !== undefined && { destinationId }) };
  const list = usePaged<Issue>({
    key: ["issues", query],
    load: (page) => answerOf(api.GET("/v1/issues", { params: { query: { ...query, ...page } } })),
  });
  return (
    <>
      <div className="filters">
        {destinationId === undefined && (
          <TextFilter filters={filters} name="destinationId" label="Destination id" />
        )}
        <ChoiceFilter filters={filters} name="state" label="State" choices={ISSUE_STATES} />
      </div>
      <Paged
        query={list}
        empty={emptyList(filters, "There is no issue", "Nothing has failed in fourteen days.")}
      >
        {(rows) => <IssueTable rows={rows} />}
      </Paged>
    </>
  );
}
