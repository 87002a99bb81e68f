import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Empty } from "../../elements/answer.tsx";
import { TextFilter, useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Time } from "../../elements/time.tsx";

export function ReplayList() {
  const filters = useFilters();
  const query = filters.pick("destinationId");
  const list = usePaged<Schemas["Replay"]>({
    key: ["replays", query],
    load: (page) => answerOf(api.GET("/v1/replays", { params: { query: { ...query, ...page } } })),
  });
  return (
    <Page title="Replays">
      <div className="filters">
        <TextFilter filters={filters} name="destinationId" label="Destination id" />
      </div>
      <Paged
        query={list}
        empty={
          <Empty title="Nothing was sent again">
            {filters.isAny
              ? "Change the filter above."
              : "Replays are begun from dead letters, from a call, or from a destination."}
          </Empty>
        }
      >
        {(rows) => (
          <Table
            caption="Replays"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: "Replay", cell: ({ id }) => <Link to={id}>{id}</Link> },
              { title: "State", cell: ({ state }) => <State of={state} /> },
              {
                title: "Of",
                cell: ({ calls }) => (calls === null ? "dead letters" : `calls: ${calls.which}`),
              },
              { title: "Sent", isNumber: true, cell: ({ matched, replayed }) => `${replayed} of ${matched}` },
              { title: "Dead again", isNumber: true, cell: ({ deadAgain }) => deadAgain },
              { title: "Begun", cell: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </Paged>
    </Page>
  );
}
