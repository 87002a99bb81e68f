// Makes a destination, with every option that one may have.
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { ApiProblem } from "../../api/problem.ts";
import { ProblemNote } from "../../elements/answer.tsx";
import { submitting } from "../../elements/fields.tsx";
import { useFilters } from "../../elements/filters.tsx";
import { useMake } from "../../elements/make.ts";
import { Page } from "../../elements/page.tsx";
import { WithScope } from "../../elements/with-scope.tsx";
import { AllFields, useTyped } from "./edit/all-fields.tsx";
import { Field, problemsOf } from "./edit/field.tsx";
import { BLANK, switchText, textsOf } from "./edit/options.ts";
import { newSecret } from "./edit/secret.ts";

const NOTHING = { ...BLANK, webhooks: [] };
const SECRET_HINT =
  "Requests are signed with it, and the receiver checks the signature; without one they are not signed. Copy it now, it is never shown again.";

/** One that is made here is meant to be used: the API makes it switched off. */
const firstOf = (sourceId: string | undefined) => ({
  texts: { ...textsOf(BLANK), enabled: switchText(true), sourceIds: sourceId ?? "" },
  webhooks: [{ key: 0, url: "", headers: "" }],
});

function missingOf({ patch, webhooks }: ReturnType<typeof useTyped>): string | undefined {
  if (patch.name === undefined || patch.name === "") return "It needs a name.";
  return webhooks.some(({ url }) => url.trim() === "") ? "Each webhook needs a URL." : undefined;
}

function make({ patch, secret }: Pick<ReturnType<typeof useTyped>, "patch"> & { secret: string }) {
  const { name = "", previousSecretValidFor: _, webhooks = [], sourceIds = [], labels, ...rest } = patch;
  const body = {
    ...{ ...rest, name, sourceIds, webhooks },
    ...(labels !== undefined && { labels: labels as Record<string, string> }),
    ...(secret !== "" && { sharedSecret: secret }),
  };
  return answerOf(api.POST("/v1/destinations", { body }));
}

interface SecretProps {
  readonly value: string;
  readonly isStandard: boolean;
  readonly problems: Parameters<typeof problemsOf>[0];
  readonly change: (secret: string) => void;
}

function Secret({ change, isStandard, problems, value }: SecretProps) {
  return (
    <fieldset>
      <legend>Signature</legend>
      <Field title="Shared secret" hint={SECRET_HINT} problems={problemsOf(problems, "sharedSecret")}>
        {(ids) => (
          <input {...ids} autoComplete="off" value={value} onChange={({ target }) => change(target.value)} />
        )}
      </Field>
      <button type="button" onClick={() => change(newSecret(isStandard))}>
        Make a secret
      </button>
    </fieldset>
  );
}

function Form() {
  const form = useTyped(NOTHING, firstOf(useFilters().get("sourceId")));
  const [secret, setSecret] = useState("");
  const { error, isPending, mutate } = useMake("/destinations", make);
  const problems = [...form.problems, ...(error instanceof ApiProblem ? error.errors : [])];
  const missing = missingOf(form);
  const isReady = missing === undefined && form.problems.length === 0;
  return (
    <form
      className="edit"
      onSubmit={submitting(() => {
        if (isReady) mutate({ patch: form.patch, secret });
      })}
    >
      <AllFields form={form} problems={problems} />
      <Secret
        {...{ problems, value: secret, change: setSecret }}
        isStandard={form.patch.standardWebhooks === true}
      />
      {error !== null && <ProblemNote error={error} />}
      <div className="row">
        <button type="submit" className="main" disabled={isPending || !isReady}>
          {isPending ? "Making it …" : "Make it"}
        </button>
        <span role="status">{missing}</span>
      </div>
    </form>
  );
}

export function NewDestination() {
  return (
    <Page title="A new destination">
      <WithScope scope="write" to="To make a destination">
        <Form />
      </WithScope>
    </Page>
  );
}
