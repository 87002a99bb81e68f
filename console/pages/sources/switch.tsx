// Switches a source on or off, and deletes it.
import { useNavigate } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { WithScope } from "../../elements/with-scope.tsx";
import { useSource } from "./source.tsx";

export function Switch() {
  const navigate = useNavigate();
  const { enabled, id } = useSource();
  const params = { path: { id } };
  const remove = async () => {
    await answerOf(api.DELETE("/v1/sources/{id}", { params }));
    await navigate("/sources");
  };
  return (
    <section aria-label="Switch or delete it">
      <h2>Switch or delete it</h2>
      <WithScope scope="write" to="To change a source">
        <Action
          label={enabled ? "Switch it off" : "Switch it on"}
          question={
            enabled
              ? "Its calls are refused within a second, until it is switched on."
              : "Its calls are taken again."
          }
          run={() => answerOf(api.PATCH("/v1/sources/{id}", { params, body: { enabled: !enabled } }))}
        />
        <Action
          label="Delete it"
          question="Its calls are refused within a second. Calls that were taken are delivered. That cannot be undone."
          run={remove}
        />
      </WithScope>
    </section>
  );
}
