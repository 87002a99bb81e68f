// Makes a computed trait.
import { useState } from "react";
import { answerOf, api } from "../../../api/client.ts";
import { ProblemNote } from "../../../elements/answer.tsx";
import { nodeIn, textOfNode } from "../../../elements/conditions/conditions-field.tsx";
import { BLANK_TRAIT_DEFINITION } from "../../../elements/conditions/tables.ts";
import { TextInput } from "../../../elements/fields.tsx";
import { useMake } from "../../../elements/make.ts";
import { Page } from "../../../elements/page.tsx";
import { WithScope } from "../../../elements/with-scope.tsx";
import { TraitForm, type WantedTrait } from "./trait-form.tsx";

const NOTHING: WantedTrait = { name: "", definition: textOfNode(BLANK_TRAIT_DEFINITION) };

function Form() {
  const [key, setKey] = useState("");
  const { error, isPending, mutate } = useMake("/traits", ({ definition, name }: WantedTrait) => {
    const body = { name, definition: nodeIn(definition), ...(key.trim() !== "" && { key: key.trim() }) };
    return answerOf(api.POST("/v1/computed-traits", { body }));
  });
  return (
    <>
      <div className="filters">
        <TextInput label="Key, or nothing: made from the name" value={key} change={setKey} />
      </div>
      <TraitForm initial={NOTHING} error={error} isPending={isPending} submit={mutate}>
        {({ definition, name }) => (
          <button
            type="submit"
            className="main"
            disabled={isPending || name.trim() === "" || nodeIn(definition) === undefined}
          >
            {isPending ? "Making it …" : "Make it"}
          </button>
        )}
      </TraitForm>
      {error !== null && <ProblemNote error={error} />}
    </>
  );
}

export function NewTrait() {
  return (
    <Page title="A new computed trait">
      <WithScope scope="write" to="To make a computed trait">
        <Form />
      </WithScope>
    </Page>
  );
}
