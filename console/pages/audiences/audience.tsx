// One audience: its definition, its members, why a user or account is one, and its size over time.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer, Empty } from "../../elements/answer.tsx";
import { TextFilter, useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Table } from "../../elements/table.tsx";
import { Time } from "../../elements/time.tsx";
import { amount } from "../../elements/times.ts";
import { UserLink } from "../../elements/user-link.tsx";
import { type AskedId, askedIdOf } from "./asked-id.ts";
import { Definition } from "./definition.tsx";
import { PauseAudience } from "./pause.tsx";
import { Sizes } from "./sizes.tsx";
import { Why } from "./why.tsx";

const REFETCH_MS = 5_000;

type Member = Schemas["MemberPage"]["data"][number];

function Members({ id, asked }: { readonly id: string; readonly asked: AskedId }) {
  const filters = useFilters();
  const list = usePaged<Member>({
    key: ["members", id],
    load: async (query) => {
      const answer = await answerOf(
        api.GET("/v1/audiences/{id}/members", { params: { path: { id }, query } }),
      );
      return "data" in answer ? answer : { data: [], next: null };
    },
  });
  return (
    <Paged query={list} empty={<Empty title="It has no members">Nobody is in it now.</Empty>}>
      {(rows) => (
        <Table
          caption="Members"
          rows={rows}
          keyOf={({ userId, anonymousId, groupId }) => `${userId} ${anonymousId} ${groupId}`}
          columns={[
            { title: asked === "groupId" ? "Account" : "User", cell: (ids) => <UserLink {...ids} /> },
            { title: "Since", cell: ({ since }) => <Time at={since} /> },
            {
              title: "Why",
              cell: ({ [asked]: one }) =>
                one === null ? (
                  "–"
                ) : (
                  <button type="button" onClick={() => filters.set(asked, one)}>
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
  const query = useQuery({
    queryKey: ["audience", id],
    queryFn: () => answerOf(api.GET("/v1/audiences/{id}", { params: { path: { id } } })),
    refetchInterval: REFETCH_MS,
  });
  return (
    <Answer title="Audience" query={query}>
      {(audience) => {
        const asked = askedIdOf(audience.definition);
        const one = filters.get(asked);
        return (
          <Page
            title={audience.name}
            beside={
              <>
                <Link to="edit">Change it</Link>
                {audience.kind === "list" && <Link to="import">Upload members</Link>}
              </>
            }
          >
            <Definition of={audience} />
            <h2>{asked === "groupId" ? "One account" : "One user"}</h2>
            <TextFilter filters={filters} name={asked} label={asked === "groupId" ? "Group id" : "User id"} />
            {one !== undefined && <Why id={id} asked={asked} of={one} />}
            <h2>Size over time</h2>
            <Sizes id={id} />
            <h2>{amount(audience.members, "member")}</h2>
            <Members id={id} asked={asked} />
            <PauseAudience id={id} isPaused={audience.paused} members={audience.members} />
          </Page>
        );
      }}
    </Answer>
  );
}
