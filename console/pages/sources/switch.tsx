// Switches a source on or off, and deletes it.
import { answerOf, api } from "../../api/client.ts";
import { SwitchSection } from "../../elements/switch-section.tsx";
import { visibleLine } from "../../elements/visible-text.ts";
import { destinationsOf } from "./its-destinations.tsx";
import { useSource } from "./source.tsx";

async function whoGetsItsCalls(id: string): Promise<string> {
  const { data, total } = await destinationsOf(id);
  if (data.length === 0) return "No destination is connected to it.";
  const names = data.map(({ name }) => visibleLine(name, 60)).join(", ");
  const more = data.length < total ? ` and ${total - data.length} more` : "";
  return `It is not deleted while destinations are connected to it: take it from ${names}${more} first.`;
}

const QUESTIONS = {
  on: "Its calls are taken again.",
  off: "Its calls are refused within a second, until it is switched on.",
  gone: "Its name, labels and write keys are lost, and its calls are refused within a second. Calls that were taken are delivered. It cannot be undone.",
};

export function Switch() {
  const { enabled, id } = useSource();
  const params = { path: { id } };
  return (
    <SwitchSection
      to="To change a source"
      isOn={enabled}
      questions={QUESTIONS}
      counts={{ gone: () => whoGetsItsCalls(id) }}
      change={(isOn) => answerOf(api.PATCH("/v1/sources/{id}", { params, body: { enabled: isOn } }))}
      remove={() => answerOf(api.DELETE("/v1/sources/{id}", { params }))}
      list="/sources"
    />
  );
}
