// One computed trait: its definition and its values.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer, Empty } from "../../elements/answer.tsx";
import { TextFilter, useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { UserLink } from "../../elements/user-link.tsx";
import { Definition } from "./definition.tsx";

const REFETCH_MS = 5_000;
const ROWS = 50;

type Value = Schemas["ValuePage"]["data"][number];

/** A value of one user is a list of one. */
function Values({ id, userId }: { readonly id: string; readonly userId: string | undefined }) {
  const list = usePaged<Omit<Value, "since"> & { readonly since?: string }>({
    key: ["values", id, userId],
    load: async (after) => {
      const query = userId === undefined ? { limit: ROWS, ...(after && { after }) } : { userId };
      const answer = await answerOf(
        api.GET("/v1/computed-traits/{id}/values", { params: { path: { id }, query } }),
      );
      return "data" in answer ? answer : { data: [answer], next: null };
    },
  });
  return (
    <Paged query={list} empty={<Empty title="There are no values">No user has one yet.</Empty>}>
      {(rows) => (
        <Table
          caption="Values"
          rows={rows}
          keyOf={(row) => row.userId}
          columns={[
            { title: "User", cell: ({ userId }) => <UserLink userId={userId} anonymousId={null} /> },
            { title: "Value", cell: ({ value }) => <Text>{JSON.stringify(value) ?? null}</Text> },
            { title: "Since", cell: ({ since }) => <Time at={since ?? null} /> },
          ]}
        />
      )}
    </Paged>
  );
}

export function Trait() {
  const { id = "" } = useParams();
  const filters = useFilters();
  const query = useQuery({
    queryKey: ["trait", id],
    queryFn: () => answerOf(api.GET("/v1/computed-traits/{id}", { params: { path: { id } } })),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Answer title="Computed trait" query={query}>
      {(trait) => (
        <Page title={trait.name}>
          <Definition of={trait} />
          <h2>Values</h2>
          <TextFilter filters={filters} name="userId" label="User id" />
          <Values id={id} userId={filters.get("userId")} />
        </Page>
      )}
    </Answer>
  );
}
