// Changes a computed trait: only while it is as it was read, and only what was changed.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId } from "react";
import { useParams } from "react-router";
import { answerOf, api, ifMatch, type Schemas, type Tagged, taggedAnswer } from "../../../api/client.ts";
import { Answer } from "../../../elements/answer.tsx";
import { nodeIn, textOfNode } from "../../../elements/conditions/conditions-field.tsx";
import { isNode } from "../../../elements/conditions/node.ts";
import { Page } from "../../../elements/page.tsx";
import { WithScope } from "../../../elements/with-scope.tsx";
import { Refused, Save } from "./saving.tsx";
import { TraitForm, type WantedTrait } from "./trait-form.tsx";

type Read = Tagged<Schemas["ComputedTrait"]>;

function patchOf(before: WantedTrait, { definition, name }: WantedTrait) {
  return {
    ...(name !== before.name && { name }),
    ...(definition !== before.definition && { definition: nodeIn(definition) }),
  };
}

interface EditorProps {
  readonly of: Read;
  readonly reload: () => unknown;
}

/** What came of saving stays when the next version is shown. */
function Editor({ of: { etag, value: trait }, reload }: EditorProps) {
  const { definition, id, name } = trait;
  const before: WantedTrait = { name, definition: isNode(definition) ? textOfNode(definition) : "" };
  const queries = useQueryClient();
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: (wanted: WantedTrait) =>
      answerOf(
        api.PATCH("/v1/computed-traits/{id}", {
          params: { path: { id }, header: ifMatch(etag) },
          body: patchOf(before, wanted),
        }),
      ),
    onSuccess: () => queries.invalidateQueries(),
  });
  return (
    <>
      <TraitForm key={etag} initial={before} error={error} isPending={isPending} submit={mutate}>
        {(wanted) => (
          <Save
            changed={Object.keys(patchOf(before, wanted))}
            isPending={isPending}
            isReadable={nodeIn(wanted.definition) !== undefined}
            isSaved={data !== undefined}
          />
        )}
      </TraitForm>
      <Refused error={error} reset={reset} reload={reload} />
    </>
  );
}

export function EditTrait() {
  const { id = "" } = useParams();
  const query = useQuery({
    queryKey: ["edited-trait", id, useId()],
    queryFn: () => taggedAnswer(api.GET("/v1/computed-traits/{id}", { params: { path: { id } } })),
    ...{ staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  });
  return (
    <Answer title="Computed trait" query={query}>
      {(given) => (
        <Page title={`Change ${given.value.name}`}>
          <WithScope scope="write" to="To change a computed trait">
            <Editor of={given} reload={query.refetch} />
          </WithScope>
        </Page>
      )}
    </Answer>
  );
}
