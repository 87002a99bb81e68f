// Calls of a destination, sent to it again or for the first time: which, and how many that would be.
import { useState } from "react";
import { Link } from "react-router";
import { answerOf, api, type Schemas } from "../../api/client.ts";
import { Action, counted } from "../../elements/action.tsx";
import { Choice, TextInput } from "../../elements/fields.tsx";
import { useSourceNames } from "../../elements/source-link.tsx";
import { WithScope } from "../../elements/with-scope.tsx";
import { useDestination } from "./queries.ts";

type Body = Schemas["ReplayCallsBody"];
type Which = NonNullable<Body["which"]>;

const HOUR_MS = 3_600_000;
const HOURS = ["1", "6", "24", "72"] as const;

const TITLES: Readonly<Record<Which, string>> = {
  missing: "missing here: never sent, and would be now",
  delivered: "delivered",
  dead: "dead",
  all: "delivered and dead",
};
const WHICH = Object.keys(TITLES) as Which[];

const QUESTIONS: Readonly<Record<Which, string>> = {
  missing: "Calls that this destination never had, and would get if they came now, are sent to it.",
  delivered: "Calls that were delivered here are sent once more.",
  dead: "Calls that failed here for good are sent once more.",
  all: "Every call that was sent here and does not wait is sent once more.",
};

interface Wanted {
  readonly which: Which;
  readonly hours: string;
  readonly event: string;
  readonly sourceId: string;
}

const NOTHING: Wanted = { which: "missing", hours: "24", event: "", sourceId: "" };

function bodyOf(destinationId: string, { event, hours, sourceId, which }: Wanted): Body {
  const from = new Date(Date.now() - Number(hours) * HOUR_MS).toISOString();
  return {
    ...{ destinationId, which, from },
    ...(event.trim() !== "" && { event: event.trim() }),
    ...(sourceId !== "" && { sourceId }),
  };
}

const ask = (body: Body) => answerOf(api.POST("/v1/replays", { body }));

export function SendAgain() {
  const { id, sourceIds } = useDestination();
  const sources = useSourceNames(sourceIds);
  const [wanted, setWanted] = useState(NOTHING);
  const { event, hours, sourceId, which } = wanted;
  const change = (changes: Partial<Wanted>): void => setWanted({ ...wanted, ...changes });
  return (
    <WithScope scope="replay" to="To send calls again">
      <section aria-label="Send calls again">
        <div className="filters">
          <Choice
            label="Calls"
            value={which}
            choices={WHICH.map((one) => [one, TITLES[one]])}
            change={(one) => change({ which: one as Which })}
          />
          <Choice
            label="Accepted in the last"
            value={hours}
            choices={HOURS.map((one) => [one, one === "1" ? "hour" : `${one} hours`])}
            change={(one) => change({ hours: one })}
          />
          <TextInput
            label="Event, of track calls alone"
            value={event}
            change={(text) => change({ event: text })}
          />
          <Choice
            label="Of"
            value={sourceId}
            choices={[["", "every source"], ...sources]}
            change={(one) => change({ sourceId: one })}
          />
        </div>
        <Action
          label="Send them"
          question={QUESTIONS[which]}
          count={async () => counted(await ask({ ...bodyOf(id, wanted), dryRun: true }))}
          run={() => ask(bodyOf(id, wanted))}
          done={(answer) =>
            "replayId" in answer && (
              <>
                They are being sent: <Link to={`/replays/${answer.replayId}`}>how far it is</Link>
              </>
            )
          }
        />
        <p>
          <Link to={`/replays?destinationId=${encodeURIComponent(id)}`}>
            Its replays, and how far each is
          </Link>
        </p>
      </section>
    </WithScope>
  );
}
