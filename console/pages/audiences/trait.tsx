// One computed trait: its definition and its values.
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer, Empty } from "../../elements/answer.tsx";
import { TextFilter, useFilters } from "../../elements/filters.tsx";
import { Page } from "../../elements/page.tsx";
import { Paged, usePaged } from "../../elements/paged.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { UserLink } from "../../elements/user-link.tsx";
import { type AskedId, askedIdOf } from "./asked-id.ts";
import { Definition } from "./definition.tsx";
import { PauseTrait } from "./pause.tsx";

const REFETCH_MS = 5_000;

type Value = Schemas["ValuePage"]["data"][number];

interface ValuesProps {
  readonly id: string;
  readonly asked: AskedId;
  /** One of them; undefined: all. */
  readonly of: string | undefined;
}

/** A value of one user or account is a list of one. */
function Values({ id, asked, of }: ValuesProps) {
  const list = usePaged<Omit<Value, "since"> & { readonly since?: string }>({
    key: ["values", id, asked, of],
    load: async (page) => {
      const query = of === undefined ? page : { [asked]: of };
      const answer = await answerOf(
        api.GET("/v1/computed-traits/{id}/values", { params: { path: { id }, query } }),
      );
      return "data" in answer ? answer : { data: [answer], next: null };
    },
  });
  return (
    <Paged query={list} empty={<Empty title="There are no values">Nobody has one yet.</Empty>}>
      {(rows) => (
        <Table
          caption="Values"
          rows={rows}
          keyOf={({ groupId, userId }) => `${userId} ${groupId}`}
          columns={[
            {
              title: asked === "groupId" ? "Account" : "User",
              cell: ({ groupId, userId }) => (
                <UserLink userId={userId} anonymousId={null} groupId={groupId} />
              ),
            },
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
      {(trait) => {
        const asked = askedIdOf(trait.definition);
        return (
          <Page title={trait.name} beside={<Link to="edit">Change it</Link>}>
            <Definition of={trait} />
            <h2>Values</h2>
            <TextFilter filters={filters} name={asked} label={asked === "groupId" ? "Group id" : "User id"} />
            <Values id={id} asked={asked} of={filters.get(asked)} />
            <PauseTrait id={id} isPaused={trait.paused} />
          </Page>
        );
      }}
    </Answer>
  );
}
