// Requests to delete users, to suppress them, or to end that.
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { REGULATION_STATUSES } from "../../api/tables.generated.ts";
import { ChoiceFilter, emptyList, TextFilter, useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { WithScope } from "../../elements/with-scope.tsx";
import { Begin } from "./begin.tsx";
import { REGULATION_TYPES, type RegulationType, titleOf } from "./types.ts";

const ROWS = 50;

function List() {
  const filters = useFilters();
  const query = filters.pick("regulationType", "status", "sourceId") as {
    readonly regulationType?: RegulationType;
    readonly status?: (typeof REGULATION_STATUSES)[number];
  };
  const list = usePaged<Schemas["Regulation"]>({
    key: ["regulations", query],
    load: (page) =>
      answerOf(api.GET("/v1/regulations", { params: { query: { ...query, ...page, limit: ROWS } } })),
  });
  return (
    <>
      <div className="filters">
        <ChoiceFilter filters={filters} name="regulationType" label="Kind" choices={REGULATION_TYPES} />
        <ChoiceFilter filters={filters} name="status" label="State" choices={REGULATION_STATUSES} />
        <TextFilter filters={filters} name="sourceId" label="Source id" />
      </div>
      <Paged
        query={list}
        empty={emptyList(filters, "There is none", "Nobody has asked for a deletion or a suppression.")}
      >
        {(rows) => (
          <Table
            caption="Deletions and suppressions, the oldest first"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: "Id", cell: ({ id }) => <Link to={id}>{id}</Link> },
              { title: "Kind", cell: ({ regulationType }) => titleOf(regulationType) },
              { title: "State", cell: ({ status }) => <State of={status} /> },
              {
                title: "Users",
                isNumber: true,
                cell: ({ subjectCount }) => subjectCount.toLocaleString("en"),
              },
              { title: "In", cell: ({ sourceId }) => <Text>{sourceId ?? "the workspace"}</Text> },
              { title: "Notified", isNumber: true, cell: ({ notified }) => notified.toLocaleString("en") },
              { title: "Begun", cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Paged>
    </>
  );
}

export function DeletionList() {
  return (
    <Page title="Deletions">
      <List />
      <WithScope scope="write" to="To begin one">
        <Begin />
      </WithScope>
    </Page>
  );
}
