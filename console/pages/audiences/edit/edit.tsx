// Changes an audience: only while it is as it was read, and only what was changed.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useParams } from "react-router";
import { answerOf, api, ifMatch, type Schemas, type Tagged, taggedAnswer } from "../../../api/client.ts";
import { Answer } from "../../../elements/answer.tsx";
import { nodeIn, textOfNode } from "../../../elements/conditions/conditions-field.tsx";
import { isNode } from "../../../elements/conditions/node.ts";
import { Page } from "../../../elements/page.tsx";
import { WithScope } from "../../../elements/with-scope.tsx";
import { AudienceForm, traitsIn, type Wanted } from "./form.tsx";
import { Refused, Save } from "./saving.tsx";

type Read = Tagged<Schemas["Audience"]>;

function wantedOf({ definition, includeAnonymous, name, sendTraits, trackCalls }: Read["value"]): Wanted {
  const text = isNode(definition) ? textOfNode(definition) : "";
  return { name, definition: text, includeAnonymous, trackCalls, sendTraits: sendTraits.join(", ") };
}

function patchOf(before: Wanted, { definition, name, sendTraits, trackCalls }: Wanted) {
  return {
    ...(name !== before.name && { name }),
    ...(definition !== before.definition && { definition: nodeIn(definition) }),
    ...(trackCalls !== before.trackCalls && { trackCalls }),
    ...(sendTraits !== before.sendTraits && { sendTraits: traitsIn(sendTraits) }),
  };
}

interface EditorProps {
  readonly of: Read;
  readonly reload: () => unknown;
}

/** What came of saving stays when the next version is shown. */
function Editor({ of: { etag, value: audience }, reload }: EditorProps) {
  const { id, kind } = audience;
  const before = wantedOf(audience);
  const queries = useQueryClient();
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (wanted: Wanted) =>
      answerOf(
        api.PATCH("/v1/audiences/{id}", {
          params: { path: { id }, header: ifMatch(etag) },
          body: patchOf(before, wanted),
        }),
      ),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <>
      <AudienceForm
        key={etag}
        initial={before}
        error={error}
        isPending={isPending}
        hasDefinition={kind === "audience"}
        submit={mutate}
      >
        {(wanted) => {
          const isUnreadable = kind === "audience" && nodeIn(wanted.definition) === undefined;
          return (
            <Save
              changed={Object.keys(patchOf(before, wanted))}
              isPending={isPending}
              isReadable={!isUnreadable}
              isSaved={data !== undefined}
            />
          );
        }}
      </AudienceForm>
      <Refused error={error} reset={reset} reload={reload} />
    </>
  );
}

export function EditAudience() {
  const { id = "" } = useParams();
  const query = useQuery({
    queryKey: ["edited-audience", id, useId()],
    queryFn: () => taggedAnswer(api.GET("/v1/audiences/{id}", { params: { path: { id } } })),
    ...{ staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  });
  return (
    <Answer title="Audience" query={query}>
      {(given) => (
        <Page title={`Change ${given.value.name}`}>
          <WithScope scope="write" to="To change an audience">
            <Editor of={given} reload={query.refetch} />
          </WithScope>
        </Page>
      )}
    </Answer>
  );
}
