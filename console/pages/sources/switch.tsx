// Switches a source on or off, and deletes it.
import { useNavigate } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { visibleLine } from "../../elements/visible-text.ts";
import { WithScope } from "../../elements/with-scope.tsx";
import { destinationsOf } from "./its-destinations.tsx";
import { useSource } from "./source.tsx";

async function whoGetsItsCalls(id: string): Promise<string> {
  const { data, total } = await destinationsOf(id);
  if (data.length === 0) return "No destination is connected to it.";
  const names = data.map(({ name }) => visibleLine(name, 60)).join(", ");
  const more = data.length < total ? ` and ${total - data.length} more` : "";
  return `It is not deleted while destinations are connected to it: take it from ${names}${more} first.`;
}

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
          question="Its name, labels and write keys are lost, and its calls are refused within a second. Calls that were taken are delivered. It cannot be undone."
          count={() => whoGetsItsCalls(id)}
          run={remove}
        />
      </WithScope>
    </section>
  );
}
