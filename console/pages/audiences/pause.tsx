// Pauses an audience or a computed trait, has it go on, and deletes it.
import { useNavigate } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { amount } from "../../elements/times.ts";
import { WithScope } from "../../elements/with-scope.tsx";

interface PauseProps {
  readonly of: "audiences" | "computed-traits";
  readonly id: string;
  readonly isPaused: boolean;
  /** Of an audience. */
  readonly members?: number;
}

const LOST = "Its definition is lost. It cannot be undone.";

export function Pause({ id, isPaused, members = 0, of }: PauseProps) {
  const navigate = useNavigate();
  const params = { path: { id } };
  const count = amount(members, "member");
  const setPaused = (paused: boolean) =>
    of === "audiences"
      ? answerOf(api.PATCH("/v1/audiences/{id}", { params, body: { paused } }))
      : answerOf(api.PATCH("/v1/computed-traits/{id}", { params, body: { paused } }));
  const remove = async (query: { readonly exitAll?: true }) => {
    if (of === "audiences")
      await answerOf(api.DELETE("/v1/audiences/{id}", { params: { ...params, query } }));
    else await answerOf(api.DELETE("/v1/computed-traits/{id}", { params }));
    await navigate("..", { relative: "path" });
  };
  return (
    <section aria-label="Pause or delete it">
      <h2>Pause or delete it</h2>
      <WithScope scope="write" to="To change it">
        <Action
          label={isPaused ? "Go on" : "Pause it"}
          question={
            isPaused
              ? "What has changed meanwhile is sent."
              : "Nothing of it is sent until it goes on; then what has changed meanwhile is."
          }
          run={() => setPaused(!isPaused)}
        />
        <Action
          label="Delete it"
          question={
            of === "audiences"
              ? `Nothing is sent of it: receivers keep its ${count} as they know them. ${LOST}`
              : `Nothing is sent of it: receivers keep the values that they know. ${LOST}`
          }
          run={() => remove({})}
        />
        {of === "audiences" && (
          <Action
            label="Delete it, and send its members away"
            question={`The receivers are sent false for its ${count}. ${LOST}`}
            run={() => remove({ exitAll: true })}
          />
        )}
      </WithScope>
    </section>
  );
}
