// Whether a user or account is a member, and what each condition of the definition says of them.
import { useQuery } from "@tanstack/react-query";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Answer } from "../../elements/answer.tsx";
import { State } from "../../elements/state.tsx";
import { Table } from "../../elements/table.tsx";
import { Text } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import type { AskedId } from "./asked-id.ts";

function Membership({ of, id }: { readonly of: Schemas["Membership"]; readonly id: string }) {
  return (
    <>
      <p>
        <Text>{id}</Text> is {of.member ? "a member" : "no member"}
        {of.since !== undefined && (
          <>
            , since <Time at={of.since} />
          </>
        )}
        {of.until !== undefined && (
          <>
            ; without further calls that changes <Time at={of.until} />
          </>
        )}
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

interface WhyProps {
  readonly id: string;
  readonly asked: AskedId;
  readonly of: string;
}

export function Why({ id, asked, of }: WhyProps) {
  const query = useQuery({
    queryKey: ["membership", id, asked, of],
    queryFn: () =>
      answerOf(api.GET("/v1/audiences/{id}/members", { params: { path: { id }, query: { [asked]: of } } })),
  });
  return (
    <section aria-label="Why">
      <Answer query={query}>
        {(answer) => ("leaves" in answer ? <Membership of={answer} id={of} /> : null)}
      </Answer>
    </section>
  );
}
