// One audience: its definition, its members, and why a user is one.
import { useQuery } from "@tanstack/react-query";
import { useParams } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer, Empty } from "../../elements/answer.tsx";
import { TextFilter, useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Table } from "../../elements/table.tsx";
import { Time } from "../../elements/time.tsx";
import { UserLink } from "../../elements/user-link.tsx";
import { Definition } from "./definition.tsx";
import { Why } from "./why.tsx";

const REFETCH_MS = 5_000;
const ROWS = 50;

type Member = Schemas["MemberPage"]["data"][number];

function Members({ id }: { readonly id: string }) {
  const filters = useFilters();
  const list = usePaged<Member>({
    key: ["members", id],
    load: async (after) => {
      const query = { limit: ROWS, ...(after && { after }) };
      const answer = await answerOf(
        api.GET("/v1/audiences/{id}/members", { params: { path: { id }, query } }),
      );
      return "data" in answer ? answer : { data: [], next: null };
    },
  });
  return (
    <Paged query={list} empty={<Empty title="It has no members">Nobody fulfils its definition now.</Empty>}>
      {(rows) => (
        <Table
          caption="Members"
          rows={rows}
          keyOf={({ userId, anonymousId }) => `${userId} ${anonymousId}`}
          columns={[
            { title: "User", cell: (ids) => <UserLink {...ids} /> },
            { title: "Since", cell: ({ since }) => <Time at={since} /> },
            {
              title: "Why",
              cell: ({ userId }) =>
                userId === null ? (
                  "–"
                ) : (
                  <button type="button" onClick={() => filters.set("userId", userId)}>
                    Why
                  </button>
                ),
            },
          ]}
        />
      )}
    </Paged>
  );
}

export function Audience() {
  const { id = "" } = useParams();
  const filters = useFilters();
  const userId = filters.get("userId");
  const query = useQuery({
    queryKey: ["audience", id],
    queryFn: () => answerOf(api.GET("/v1/audiences/{id}", { params: { path: { id } } })),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Answer title="Audience" query={query}>
      {(audience) => (
        <Page title={audience.name}>
          <Definition of={audience} />
          <h2>One user</h2>
          <TextFilter filters={filters} name="userId" label="User id" />
          {userId !== undefined && <Why id={id} userId={userId} />}
          <h2>{audience.members.toLocaleString("en")} members</h2>
          <Members id={id} />
        </Page>
      )}
    </Answer>
  );
}
