// Pauses an audience or a computed trait, has it go on, and deletes it.
import { answerOf, api } from "../../api/client.ts";
import { SwitchSection } from "../../elements/switch-section.tsx";
import { amount } from "../../elements/times.ts";

interface PauseProps {
  readonly id: string;
  readonly isPaused: boolean;
}

const LABELS = { title: "Pause or delete it", on: "Go on", off: "Pause it" };
const LOST = "Its definition is lost. It cannot be undone.";
const SHARED = { to: "To change it", labels: LABELS };

const questionsOf = (kept: string) => ({
  on: "What has changed meanwhile is sent.",
  off: "Nothing of it is sent until it goes on; then what has changed meanwhile is.",
  gone: `Nothing is sent of it: receivers keep ${kept}. ${LOST}`,
});

export function PauseAudience({ id, isPaused, members }: PauseProps & { readonly members: number }) {
  const params = { path: { id } };
  const count = amount(members, "member");
  const remove = (query: { readonly exitAll?: true }) =>
    answerOf(api.DELETE("/v1/audiences/{id}", { params: { ...params, query } }));
  return (
    <SwitchSection
      {...SHARED}
      isOn={!isPaused}
      questions={questionsOf(`its ${count} as they know them`)}
      change={(isOn) => answerOf(api.PATCH("/v1/audiences/{id}", { params, body: { paused: !isOn } }))}
      remove={() => remove({})}
      alsoRemove={{
        label: "Delete it, and send its members away",
        question: `The receivers are sent false for its ${count}. ${LOST}`,
        run: () => remove({ exitAll: true }),
      }}
      list="/audiences"
    />
  );
}

export function PauseTrait({ id, isPaused }: PauseProps) {
  const params = { path: { id } };
  return (
    <SwitchSection
      {...SHARED}
      isOn={!isPaused}
      questions={questionsOf("the values that they know")}
      change={(isOn) => answerOf(api.PATCH("/v1/computed-traits/{id}", { params, body: { paused: !isOn } }))}
      remove={() => answerOf(api.DELETE("/v1/computed-traits/{id}", { params }))}
      list="/traits"
    />
  );
}
