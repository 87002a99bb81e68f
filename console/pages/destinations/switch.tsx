// Switches a destination on or off, and deletes it.
import { answerOf, api } from "../../api/client.ts";
import { SwitchSection } from "../../elements/switch-section.tsx";
import { waitingText } from "../../elements/times.ts";
import { type Destination, waitingSummary } from "./queries.ts";

async function whatWaits(id: string): Promise<string> {
  const text = waitingText(await waitingSummary(id), "call");
  return text === undefined ? "How many calls wait for it is not known now." : `Waiting for it: ${text}.`;
}

const QUESTIONS = {
  on: "Calls of its sources are sent to it from now on. Those that came meanwhile are sent by Send again.",
  off: "It gets no new call. Calls that wait become dead letters when they are due; once it is on, they can be sent again.",
  gone: "Its options, webhooks and secret are lost. Calls that wait become dead letters, which can be sent to another destination. It cannot be undone.",
};

export function Switch({ of: { enabled, id } }: { readonly of: Pick<Destination, "enabled" | "id"> }) {
  const params = { path: { id } };
  const count = () => whatWaits(id);
  return (
    <SwitchSection
      to="To switch or delete a destination"
      isOn={enabled}
      questions={QUESTIONS}
      counts={{ off: count, gone: count }}
      change={(isOn) => answerOf(api.PATCH("/v1/destinations/{id}", { params, body: { enabled: isOn } }))}
      remove={() => answerOf(api.DELETE("/v1/destinations/{id}", { params }))}
      list="/destinations"
    />
  );
}
