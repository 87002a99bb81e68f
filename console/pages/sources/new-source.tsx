// Makes a source; its page has the first write key and a program that sends a call with it.
import { useState } from "react";
import { useNavigate } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { TextInput } from "../../elements/fields.tsx";
import { Page } from "../../elements/page.tsx";
import { WithScope } from "../../elements/with-scope.tsx";

export function NewSource() {
  const navigate = useNavigate();
  const [name, setName] = useState("");
  const run = async () => {
    const { id } = await answerOf(api.POST("/v1/sources", { body: { name: name.trim() } }));
    await navigate(`/sources/${encodeURIComponent(id)}`);
  };
  return (
    <Page title="New source">
      <WithScope scope="write" to="To make a source">
        <TextInput label="Name" value={name} change={setName} />
        <Action label="Make it" disabled={name.trim() === ""} run={run} />
      </WithScope>
    </Page>
  );
}
