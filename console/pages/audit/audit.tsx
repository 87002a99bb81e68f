// Who changed what, the newest first.
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { AUDIT_ACTIONS } from "../../api/tables.generated.ts";
import { ChoiceFilter, emptyList, TextFilter, useFilters } from "../../elements/filters.tsx";
import { useOpenRow } from "../../elements/open-row.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Table } from "../../elements/table.tsx";
import { Json, Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";

type Entry = Schemas["AuditEntry"];

/** With the section that has its page; an import has none. */
const RESOURCES: Readonly<Record<Entry["resource"], string | undefined>> = {
  source: "/sources",
  destination: "/destinations",
  audience: "/audiences",
  computed_trait: "/traits",
  replay: "/replays",
  regulation: "/deletions",
  issue: "/issues",
  import: undefined,
};

function Subject({ of: { resource, resourceId } }: { readonly of: Entry }) {
  const section = RESOURCES[resource];
  if (section === undefined) return <Text>{resourceId}</Text>;
  return (
    <Link to={`${section}/${encodeURIComponent(resourceId)}`}>
      <Text>{resourceId}</Text>
    </Link>
  );
}

function Change({ of: { after, before, requestId } }: { readonly of: Entry }) {
  return (
    <>
      {before !== null && (
        <>
          <h2>Before</h2>
          <Json label="Before" value={before} />
        </>
      )}
      {after !== null && (
        <>
          <h2>After</h2>
          <Json label="After" value={after} />
        </>
      )}
      <p className="quiet">
        Request <Text>{requestId}</Text>
      </p>
    </>
  );
}

function Filters({ filters }: { readonly filters: ReturnType<typeof useFilters> }) {
  return (
    <div className="filters">
      <TextFilter filters={filters} name="token" label="By (name of the token)" />
      <ChoiceFilter filters={filters} name="action" label="Action" choices={AUDIT_ACTIONS} />
      <ChoiceFilter filters={filters} name="resource" label="Of" choices={Object.keys(RESOURCES)} />
      <TextFilter filters={filters} name="resourceId" label="Id of it" />
      <TextFilter filters={filters} name="from" label="From (ISO 8601)" />
      <TextFilter filters={filters} name="to" label="To (ISO 8601)" />
    </div>
  );
}

function Entries({ rows }: { readonly rows: readonly Entry[] }) {
  const { isOpen, opener } = useOpenRow();
  return (
    <Table
      caption="Changes, the newest first"
      rows={rows}
      keyOf={({ id }) => id}
      below={(entry) => (isOpen(entry.id) ? <Change of={entry} /> : undefined)}
      columns={[
        { title: "Action", cell: ({ action, id }) => opener(id, action) },
        { title: "Of", cell: ({ resource }) => resource.replaceAll("_", " ") },
        { title: "Id", cell: (entry) => <Subject of={entry} /> },
        { title: "By", cell: ({ token }) => <Text>{token}</Text> },
        { title: "When", cell: ({ at }) => <Time at={at} /> },
        { title: "Made", cell: ({ isMade }) => (isMade ? "yes" : "no: refused") },
      ]}
    />
  );
}

export function Audit() {
  const filters = useFilters();
  const query = filters.pick("token", "action", "resource", "resourceId", "from", "to") as {
    readonly action?: Entry["action"];
    readonly resource?: Entry["resource"];
  };
  const list = usePaged<Entry>({
    key: ["audit", query],
    load: (page) => answerOf(api.GET("/v1/audit", { params: { query: { ...query, ...page } } })),
  });
  return (
    <Page title="Audit">
      <Filters filters={filters} />
      <Paged
        query={list}
        empty={emptyList(filters, "No change is recorded", "Changes are kept for ninety days.")}
      >
        {(rows) => <Entries rows={rows} />}
      </Paged>
    </Page>
  );
}
