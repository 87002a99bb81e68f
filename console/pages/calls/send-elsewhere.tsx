// Sends one call to another destination than the one that got it.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { answerOf, api } from "../../api/client.ts";
import { Action } from "../../elements/action.tsx";
import { Choice } from "../../elements/fields.tsx";
import { WithScope } from "../../elements/with-scope.tsx";
import { type CallId, ofUser } from "./sent.tsx";

/** Of a page; whoever has more names one to the API. */
const MOST = 200;

interface ElsewhereProps {
  readonly call: CallId;
  /** The one that got it. */
  readonly destinationId: string;
}

function Chosen({ call, destinationId }: ElsewhereProps) {
  const [to, setTo] = useState("");
  const { data } = useQuery({
    queryKey: ["destinations", "to-choose"],
    queryFn: () =>
      answerOf(api.GET("/v1/destinations", { params: { query: { sort: "name", limit: MOST } } })),
  });
  const others = (data?.data ?? []).filter(({ enabled, id }) => enabled && id !== destinationId);
  const { messageId } = call;
  return (
    <WithScope scope="replay" to="To send a call elsewhere">
      <div className="row">
        <Choice
          label="To the destination"
          value={to}
          choices={[["", "choose one"], ...others.map(({ id, name }) => [id, name] as const)]}
          change={setTo}
        />
        <Action
          label="Send it there"
          question="The call is sent to that destination with its message id and body, whether its source is connected or not."
          disabled={to === ""}
          run={() =>
            answerOf(
              api.POST("/v1/replays", {
                body: { destinationId, toDestinationId: to, messageId, ...ofUser(call), which: "all" },
              }),
            )
          }
          done={(answer) =>
            "replayId" in answer && (
              <>
                It is being sent: <Link to={`/replays/${answer.replayId}`}>how far it is</Link>
              </>
            )
          }
        />
      </div>
    </WithScope>
  );
}

/** The other destinations are asked for when somebody wants to choose. */
export function SendElsewhere(of: ElsewhereProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <p>
        <button type="button" className="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          Send it elsewhere
        </button>
      </p>
      {isOpen && <Chosen {...of} />}
    </>
  );
}
