// Every option of a destination, to be changed. Only what was changed is sent, and only while the destination is as it was read.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { api, ifMatch, type Schemas, type Tagged, taggedAnswer } from "../../../api/client.ts";
import { ApiProblem } from "../../../api/problem.ts";
import { Answer, ProblemNote } from "../../../elements/answer.tsx";
import { submitting } from "../../../elements/fields.tsx";
import { WithScope } from "../../../elements/with-scope.tsx";
import { useDestination } from "../queries.ts";
import { AllFields, useTyped } from "./all-fields.tsx";
import { type Patch, textsOf } from "./options.ts";
import { webhookTexts } from "./webhooks.ts";

const CHANGED_MEANWHILE = 412;

type Read = Tagged<Schemas["Destination"]>;

function usePatch({ value: { id }, etag }: Read, saved: (read: Read) => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: Patch) =>
      taggedAnswer(
        api.PATCH("/v1/destinations/{id}", {
          params: { path: { id }, header: ifMatch(etag) },
          body,
        }),
      ),
    onSuccess: (read) => {
      saved(read);
      void queries.invalidateQueries();
    },
  });
}

/** What was typed is of one version; what came of saving it stays when the next one is shown. */
function Form({ of, saving }: { readonly of: Read; readonly saving: ReturnType<typeof usePatch> }) {
  const form = useTyped(of.value);
  const { data, error, isPending, mutate } = saving;
  const refused = error instanceof ApiProblem ? error.errors : [];
  const problems = [...form.problems, ...refused];
  const changed = Object.keys(form.patch);
  return (
    <form
      className="edit"
      // What was typed now would be gone with the version that is being saved.
      inert={isPending}
      onSubmit={submitting(() => {
        if (form.problems.length === 0 && changed.length > 0) mutate(form.patch);
      })}
    >
      <AllFields form={form} problems={problems} />
      <div className="row">
        <button
          type="submit"
          className="main"
          disabled={isPending || changed.length === 0 || form.problems.length > 0}
        >
          {isPending ? "Saving …" : "Save"}
        </button>
        <span role="status">
          {changed.length > 0
            ? `Changed: ${changed.join(", ")}`
            : data !== undefined && "Saved: in force within a second."}
        </span>
      </div>
    </form>
  );
}

const optionsIn = ({ value }: Read): string => JSON.stringify([textsOf(value), webhookTexts(value)]);

interface EditorProps {
  readonly read: Read;
  readonly reload: () => Promise<{ readonly data?: Read | undefined }>;
}

/** The form stays with the version that it began with, whatever is read meanwhile. One with the same options, which was paused, may be changed too. */
function Editor({ read, reload }: EditorProps) {
  const [of, setOf] = useState(read);
  const saving = usePatch(optionsIn(of) === optionsIn(read) ? read : of, setOf);
  const { error, reset } = saving;
  const again = async (): Promise<void> => {
    reset();
    const { data } = await reload();
    if (data !== undefined) setOf(data);
  };
  return (
    <>
      <Form key={of.etag} of={of} saving={saving} />
      {error !== null && <ProblemNote error={error} />}
      {error instanceof ApiProblem && error.status === CHANGED_MEANWHILE && (
        <button type="button" onClick={() => void again()}>
          Take what is there now, and begin again
        </button>
      )}
    </>
  );
}

export function Edit() {
  const { id } = useDestination();
  const query = useQuery({
    // Each form reads it for itself.
    queryKey: ["edited-destination", id, useId()],
    queryFn: () => taggedAnswer(api.GET("/v1/destinations/{id}", { params: { path: { id } } })),
    // What was typed is compared with what was read when it began.
    ...{ staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  });
  return (
    <WithScope scope="write" to="To change a destination">
      <Answer query={query}>{(given) => <Editor read={given} reload={query.refetch} />}</Answer>
    </WithScope>
  );
}
