// What an audience and a computed trait have in common: how it is defined, and how far its preparation is.
import type { Schemas } from "../../api/client.ts";
import { Copyable } from "../../elements/copyable.tsx";
import { Facts } from "../../elements/facts.tsx";
import { State } from "../../elements/state.tsx";
import { Json } from "../../elements/text.tsx";
import { Time } from "../../elements/time.tsx";

type Shared = Omit<Schemas["ComputedTrait"], "name">;

function Preparation({ progress }: { readonly progress: NonNullable<Shared["progress"]> }) {
  const { partitions, partitionsDone, profilesDone, eventsDone } = progress;
  return (
    <p>
      <progress
        aria-label="Progress of the preparation"
        value={partitionsDone}
        max={Math.max(partitions, 1)}
      />{" "}
      {partitionsDone} of {partitions} partitions; {profilesDone} profiles and {eventsDone} events looked at
    </p>
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
