// Audiences, and computed traits.
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Empty } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { ChoiceFilter, TextFilter, useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { AUDIENCES_SOURCE, sourcePath } from "../../elements/source-link.tsx";
import { State } from "../../elements/state.tsx";
import { type Column, Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";

type Audience = Schemas["Audience"];
type Trait = Schemas["ComputedTrait"];
type Status = Trait["status"];

const ROWS = 50;
const STATUS: readonly Status[] = ["preparing", "live", "paused"];
const KINDS = ["audience", "list"] as const;

const MAKE_ONE = (
  <>
    <Link to="new">Make one</Link>: a preview says of whom it would be true before anything is sent.
  </>
);

const SHARED: readonly Column<Pick<Trait, "id" | "key" | "name" | "status" | "createdAt">>[] = [
  {
    title: "Name",
    cell: ({ id, name }) => (
      <Link to={id}>
        <Text>{name}</Text>
      </Link>
    ),
  },
  { title: "State", cell: ({ status }) => <State of={status} /> },
  { title: "Key", cell: ({ key }) => <Copyable text={key} what="key" /> },
  { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

export function AudienceList() {
  const filters = useFilters();
  const query = filters.pick("status", "key", "kind") as {
    readonly status?: Status;
    readonly kind?: Audience["kind"];
  };
  const list = usePaged<Audience>({
    key: ["audiences", query],
    load: (after) =>
      answerOf(
        api.GET("/v1/audiences", { params: { query: { ...query, limit: ROWS, ...(after && { after }) } } }),
      ),
  });
  return (
    <Page
      title="Audiences"
      beside={
        <>
          <Link to="new">Make an audience</Link>
          <Link to={sourcePath(AUDIENCES_SOURCE.id)}>What they send</Link>
        </>
      }
    >
      <div className="filters">
        <TextFilter filters={filters} name="key" label="Key" />
        <ChoiceFilter filters={filters} name="status" label="State" choices={STATUS} />
        <ChoiceFilter filters={filters} name="kind" label="Kind" choices={KINDS} />
      </div>
      <Paged
        query={list}
        empty={
          <Empty title="There is no audience">{filters.isAny ? "Change the filters above." : MAKE_ONE}</Empty>
        }
      >
        {(rows) => (
          <Table
            caption="Audiences"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              ...SHARED,
              { title: "Kind", cell: ({ kind }) => kind },
              { title: "Members", isNumber: true, cell: ({ members }) => members.toLocaleString("en") },
            ]}
          />
        )}
      </Paged>
    </Page>
  );
}

export function TraitList() {
  const filters = useFilters();
  const query = filters.pick("status", "key") as { readonly status?: Status };
  const list = usePaged<Trait>({
    key: ["traits", query],
    load: (after) =>
      answerOf(
        api.GET("/v1/computed-traits", {
          params: { query: { ...query, limit: ROWS, ...(after && { after }) } },
        }),
      ),
  });
  return (
    <Page title="Computed traits" beside={<Link to="new">Make a computed trait</Link>}>
      <div className="filters">
        <TextFilter filters={filters} name="key" label="Key" />
        <ChoiceFilter filters={filters} name="status" label="State" choices={STATUS} />
      </div>
      <Paged
        query={list}
        empty={
          <Empty title="There is no computed trait">
            {filters.isAny ? "Change the filters above." : MAKE_ONE}
          </Empty>
        }
      >
        {(rows) => <Table caption="Computed traits" rows={rows} keyOf={({ id }) => id} columns={SHARED} />}
      </Paged>
    </Page>
  );
}
