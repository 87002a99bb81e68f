// Makes a source; its page has the first write key and a program that sends a call with it.
import { useState } from "react";
import { answerOf, api } from "../../api/client.ts";
import { ProblemNote } from "../../elements/answer.tsx";
import { submitting, TextInput } from "../../elements/fields.tsx";
import { useMake } from "../../elements/make.ts";
import { Page } from "../../elements/page.tsx";
import { WithScope } from "../../elements/with-scope.tsx";

function Form() {
  const [name, setName] = useState("");
  const isNamed = name.trim() !== "";
  const { error, isPending, mutate } = useMake("/sources", (body: { name: string }) =>
    answerOf(api.POST("/v1/sources", { body })),
  );
  return (
    <form
      className="filters"
      onSubmit={submitting(() => {
        if (isNamed) mutate({ name: name.trim() });
      })}
    >
      <TextInput label="Name" value={name} change={setName} />
      <button type="submit" className="main" disabled={isPending || !isNamed}>
        {isPending ? "Making it …" : "Make it"}
      </button>
      {error !== null && <ProblemNote error={error} />}
    </form>
  );
}

export function NewSource() {
  return (
    <Page title="A new source">
      <WithScope scope="write" to="To make a source">
        <p>
          A source is a website, an app or a server that sends calls. Its page then has a write key, and a
          program that sends a first call with it.
        </p>
        <Form />
      </WithScope>
    </Page>
  );
}
