import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Empty } from "../../elements/answer.tsx";
import { Copyable } from "../../elements/copyable.tsx";
import { ChoiceFilter, TextFilter, useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { Rate, RefusedShare } from "./rates.tsx";

const ROWS = 25;
const ENABLED = [
  ["true", "on"],
  ["false", "off"],
] as const;
const SORTS = [
  ["-createdAt", "newest first"],
  ["name", "by name"],
] as const;

export function SourceList() {
  const filters = useFilters();
  const { enabled, ...texts } = filters.pick("search", "enabled", "sort");
  const query = { ...texts, ...(enabled !== undefined && { enabled: enabled === "true" }) } as {
    readonly enabled?: boolean;
  };
  const list = usePaged<Schemas["Source"]>({
    key: ["sources", query],
    load: (after) =>
      answerOf(
        api.GET("/v1/sources", { params: { query: { ...query, limit: ROWS, ...(after && { after }) } } }),
      ),
  });
  return (
    <Page title="Sources" beside={<Link to="new">Make a source</Link>}>
      <div className="filters">
        <TextFilter filters={filters} name="search" label="Name or id" />
        <ChoiceFilter filters={filters} name="enabled" label="Takes calls" choices={ENABLED} />
        <ChoiceFilter filters={filters} name="sort" label="Order" choices={SORTS} unset="oldest first" />
      </div>
      <Paged
        query={list}
        empty={
          filters.isAny ? (
            <Empty title="No source is like this">Change the filters above.</Empty>
          ) : (
            <Empty title="There are no sources yet">
              <Link to="new">Make one</Link>, here or with <code>hookline sources create</code>.
            </Empty>
          )
        }
      >
        {(rows) => (
          <Table
            caption="Sources; calls of the last hour"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                title: "Name",
                cell: ({ id, name }) => (
                  <Link to={id}>
                    <Text>{name}</Text>
                  </Link>
                ),
              },
              { title: "State", cell: ({ enabled: isOn }) => <State of={isOn ? "on" : "off"} /> },
              { title: "Calls/min", isNumber: true, cell: ({ id }) => <Rate id={id} /> },
              { title: "Refused", isNumber: true, cell: ({ id }) => <RefusedShare id={id} /> },
              { title: "Write keys", isNumber: true, cell: ({ writeKeys }) => writeKeys.length },
              { title: "Live", cell: ({ id }) => <Link to={`${id}/live`}>Watch its calls</Link> },
              { title: "Created", cell: ({ createdAt }) => <Time at={createdAt} /> },
              { title: "Id", cell: ({ id }) => <Copyable text={id} what="id" /> },
            ]}
          />
        )}
      </Paged>
    </Page>
  );
}
