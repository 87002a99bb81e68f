// Audiences, and computed traits.
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Copyable } from "../../elements/copyable.tsx";
import { ChoiceFilter, TextFilter, useFilters } from "../../elements/filters.tsx";
import { NamedList } from "../../elements/named-list.tsx";
import { AUDIENCES_SOURCE, sourcePath } from "../../elements/source-link.tsx";
import { State } from "../../elements/state.tsx";
import type { Column } from "../../elements/table.tsx";
import { Time } from "../../elements/time.tsx";

type Audience = Schemas["Audience"];
type Trait = Schemas["ComputedTrait"];

const STATUS: readonly Trait["status"][] = ["preparing", "live", "paused"];
const KINDS = ["audience", "list"] as const;
const HOW = ": a preview says of whom it would be true before anything is sent.";

const SHARED: readonly Column<Pick<Trait, "id" | "key" | "name" | "status" | "createdAt">>[] = [
  { title: "State", cell: ({ status }) => <State of={status} /> },
  { title: "Key", cell: ({ key }) => <Copyable text={key} what="key" /> },
  { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
];

const AUDIENCE_COLUMNS: readonly Column<Audience>[] = [
  ...SHARED,
  { title: "Kind", cell: ({ kind }) => kind },
  { title: "Members", isNumber: true, cell: ({ members }) => members.toLocaleString("en") },
];

export function AudienceList() {
  const filters = useFilters();
  return (
    <NamedList
      title="Audiences"
      one="an audience"
      beside={<Link to={sourcePath(AUDIENCES_SOURCE.id)}>What they send</Link>}
      filters={filters}
      query={filters.pick("status", "key", "kind")}
      load={(query) => answerOf(api.GET("/v1/audiences", { params: { query } }))}
      useColumns={() => AUDIENCE_COLUMNS}
      how={HOW}
    >
      <TextFilter filters={filters} name="key" label="Key" />
      <ChoiceFilter filters={filters} name="status" label="State" choices={STATUS} />
      <ChoiceFilter filters={filters} name="kind" label="Kind" choices={KINDS} />
    </NamedList>
  );
}

export function TraitList() {
  const filters = useFilters();
  return (
    <NamedList
      title="Computed traits"
      one="a computed trait"
      filters={filters}
      query={filters.pick("status", "key")}
      load={(query) => answerOf(api.GET("/v1/computed-traits", { params: { query } }))}
      useColumns={() => SHARED}
      how={HOW}
    >
      <TextFilter filters={filters} name="key" label="Key" />
      <ChoiceFilter filters={filters} name="status" label="State" choices={STATUS} />
    </NamedList>
  );
}
