// Makes an audience, by its conditions or as a list whose members are uploaded.
import { useState } from "react";
import { answerOf, api } from "../../../api/client.ts";
import { ProblemNote } from "../../../elements/answer.tsx";
import { nodeIn } from "../../../elements/conditions/conditions-field.tsx";
import { Choice, TextInput } from "../../../elements/fields.tsx";
import { useMake } from "../../../elements/make.ts";
import { Page } from "../../../elements/page.tsx";
import { WithScope } from "../../../elements/with-scope.tsx";
import { AudienceForm, traitsIn, type Wanted } from "./form.tsx";

type Kind = "audience" | "list";

const KINDS = [
  ["audience", "users who meet conditions"],
  ["list", "users of a list that is uploaded"],
] as const;

const NOTHING: Wanted = {
  ...{ name: "", definition: "", includeAnonymous: false, trackCalls: false, sendTraits: "" },
};

interface Asked extends Wanted {
  readonly kind: Kind;
  readonly key: string;
}

function bodyOf({ definition, includeAnonymous, key, kind, name, sendTraits, trackCalls }: Asked) {
  const shared = {
    ...{ name, trackCalls },
    ...(sendTraits !== "" && { sendTraits: traitsIn(sendTraits) }),
    ...(key !== "" && { key }),
  };
  return kind === "list"
    ? { ...shared, kind }
    : { ...shared, definition: nodeIn(definition), ...(includeAnonymous && { includeAnonymous }) };
}

function Form() {
  const [kind, setKind] = useState<Kind>("audience");
  const [key, setKey] = useState("");
  const { error, isPending, mutate } = useMake("/audiences", (asked: Asked) =>
    answerOf(api.POST("/v1/audiences", { body: bodyOf(asked) })),
  );
  return (
    <>
      <div className="filters">
        <Choice
          label="Who is in it"
          value={kind}
          choices={KINDS}
          change={(one) => setKind(one === "list" ? "list" : "audience")}
        />
        <TextInput label="Key, or nothing: made from the name" value={key} change={setKey} />
      </div>
      <AudienceForm
        initial={NOTHING}
        error={error}
        isPending={isPending}
        hasDefinition={kind === "audience"}
        canBeAnonymous
        submit={(wanted) => mutate({ ...wanted, kind, key: key.trim() })}
      >
        {({ definition, name }) => (
          <button
            type="submit"
            className="main"
            disabled={
              isPending || name.trim() === "" || (kind === "audience" && nodeIn(definition) === undefined)
            }
          >
            {isPending ? "Making it …" : "Make it"}
          </button>
        )}
      </AudienceForm>
      {error !== null && <ProblemNote error={error} />}
    </>
  );
}

export function NewAudience() {
  return (
    <Page title="A new audience">
      <WithScope scope="write" to="To make an audience">
        <Form />
      </WithScope>
    </Page>
  );
}
