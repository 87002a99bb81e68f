// What an audience and a computed trait have in common: how it is defined, and how far its preparation is.
import type { Schemas } from "../../api/client.ts";
import { Copyable } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { State } from "../../elements/state.tsx";
import { Json } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";
import { longDuration } from "../../elements/times.ts";

type Shared = Omit<Schemas["ComputedTrait"], "name">;

type Progress = NonNullable<Shared["progress"]>;

const count = (number: number): string => number.toLocaleString("en");

/** What is done of what is known to be done; partitions alone say little where one has all the events. */
function shareOf({
  eventsDone,
  eventsTotal,
  partitions,
  partitionsDone,
  profilesDone,
  profilesTotal,
}: Progress) {
  const total = eventsTotal + profilesTotal;
  const ofPartitions = partitionsDone / Math.max(partitions, 1);
  return total === 0 ? ofPartitions : Math.max(ofPartitions, (eventsDone + profilesDone) / total);
}

function Preparation({ progress }: { readonly progress: Progress }) {
  const {
    eventsDone,
    eventsTotal,
    partitions,
    partitionsDone,
    profilesDone,
    profilesTotal,
    remainingSeconds,
  } = progress;
  return (
    <section aria-label="Preparation" role="status">
      <p>
        <progress aria-label="Progress of the preparation" value={shareOf(progress)} max={1} />{" "}
        {remainingSeconds === null
          ? "Nobody can tell yet how long it goes on"
          : `${longDuration(remainingSeconds)} left`}
      </p>
      <p>
        {partitionsDone} of {partitions} partitions; {count(profilesDone)} of {count(profilesTotal)} profiles
        and {count(eventsDone)} of {count(eventsTotal)} events looked at
      </p>
    </section>
  );
}

export function Definition({ of }: { readonly of: Shared }) {
  return (
    <>
      <Facts
        of={{
          State: <State of={of.status} />,
          Key: <Copyable text={of.key} what="key" />,
          Id: <Copyable text={of.id} what="id" />,
          "Definition number": of.generation,
          Created: <Time at={of.createdAt} />,
          Changed: <Time at={of.updatedAt} />,
          ...(of.coverageFrom !== null && { "Counts calls from": <Time at={of.coverageFrom} /> }),
        }}
      />
      {of.partialHistory && <p className="note">Calls that it asks for are not known any more.</p>}
      {of.progress !== null && <Preparation progress={of.progress} />}
      {of.definition !== null && <Json label="Definition" value={of.definition} />}
    </>
  );
}
