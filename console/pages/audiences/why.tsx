// Whether a user is a member, and what each condition of the definition says of them.
import { useQuery } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";

function Membership({ of, userId }: { readonly of: Schemas["Membership"]; readonly userId: string }) {
  return (
    <>
      <p>
        <Text>{userId}</Text> is {of.member ? "a member" : "no member"}
        {of.since !== undefined && (
          <>
            , since <Time at={of.since} />
          </>
        )}
        {of.until !== undefined && (
          <>
            , if nothing comes until <Time at={of.until} />
          </>
        )}
        .
      </p>
      <Table
        caption="Conditions"
        rows={of.leaves}
        keyOf={({ path }) => path}
        columns={[
          {
            title: "Condition",
            cell: ({ path }) => (
              <code>
                <Text>{path === "" ? "the whole" : path}</Text>
              </code>
            ),
          },
          { title: "Holds", cell: ({ holds }) => <State of={holds ? "yes" : "no"} /> },
          { title: "Value", cell: ({ value }) => <Text>{JSON.stringify(value) ?? null}</Text> },
          { title: "Until", cell: ({ until }) => <Time at={until ?? null} /> },
        ]}
      />
    </>
  );
}

export function Why({ id, userId }: { readonly id: string; readonly userId: string }) {
  const query = useQuery({
    queryKey: ["membership", id, userId],
    queryFn: () =>
      answerOf(api.GET("/v1/audiences/{id}/members", { params: { path: { id }, query: { userId } } })),
  });
  return (
    <section aria-label="Why">
      <Answer query={query}>
        {(answer) => ("leaves" in answer ? <Membership of={answer} userId={userId} /> : null)}
      </Answer>
    </section>
  );
}
