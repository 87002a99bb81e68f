// A computed trait as a form.
import { type ReactNode, useState } from "react";
import { ConditionsField, nodeIn } from "../../../elements/conditions/conditions-field.tsx";
import { submitting, TextInput } from "../../../elements/fields.tsx";
import { definitionProblems, TraitPreview, useTraitPreview } from "./preview.tsx";

export interface WantedTrait {
  readonly name: string;
  /** As JSON. */
  readonly definition: string;
}

interface FormProps {
  readonly initial: WantedTrait;
  /** What came of saving it. */
  readonly error: Error | null;
  /** Its buttons. */
  readonly children: (wanted: WantedTrait) => ReactNode;
  /** While it is being saved: what was typed then would be lost. */
  readonly isPending: boolean;
  readonly submit: (wanted: WantedTrait) => void;
}

export function TraitForm({ children, error, initial, isPending, submit }: FormProps) {
  const [wanted, setWanted] = useState(initial);
  const { definition, name } = wanted;
  const preview = useTraitPreview(definition);
  const problems = definitionProblems(preview.error, error);
  const unreadable =
    nodeIn(definition) === undefined ? [{ path: "definition", message: "is no JSON object" }] : [];
  return (
    <form className="edit" inert={isPending} onSubmit={submitting(() => submit(wanted))}>
      <fieldset>
        <legend>General</legend>
        <TextInput label="Name" value={name} change={(text) => setWanted({ ...wanted, name: text })} />
      </fieldset>
      <ConditionsField
        title="Definition"
        name="definition"
        mode="trait"
        text={definition}
        problems={[...unreadable, ...problems]}
        change={(text) => setWanted({ ...wanted, definition: text })}
      />
      {nodeIn(definition) !== undefined && <TraitPreview of={preview} />}
      <div className="row">{children(wanted)}</div>
    </form>
  );
}
