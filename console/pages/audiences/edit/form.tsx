// An audience as a form, and beside it who would be in it.
import { type ReactNode, useState } from "react";
import { ConditionsField, nodeIn } from "../../../elements/conditions/conditions-field.tsx";
import { Switch, submitting, TextInput } from "../../../elements/fields.tsx";
import { definitionProblems, Preview, usePreview } from "./preview.tsx";

export interface Wanted {
  readonly name: string;
  /** As JSON. */
  readonly definition: string;
  readonly includeAnonymous: boolean;
  readonly trackCalls: boolean;
  /** With commas between. */
  readonly sendTraits: string;
}

interface FieldsProps {
  readonly wanted: Wanted;
  readonly change: (changes: Partial<Wanted>) => void;
}

/** What a list of members has, too. */
function SharedFields({ change, wanted }: FieldsProps) {
  return (
    <>
      <TextInput label="Name" value={wanted.name} change={(name) => change({ name })} />
      <Switch
        label="send each change as a track call, too"
        isOn={wanted.trackCalls}
        change={(trackCalls) => change({ trackCalls })}
      />
      <TextInput
        label="Traits that go along, with commas between"
        value={wanted.sendTraits}
        change={(sendTraits) => change({ sendTraits })}
      />
    </>
  );
}

export const traitsIn = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

interface DefinitionFieldsProps extends FieldsProps {
  /** What came of saving it. */
  readonly error: Error | null;
}

function DefinitionFields({ change, error, wanted }: DefinitionFieldsProps) {
  const { definition, includeAnonymous } = wanted;
  const preview = usePreview(definition, includeAnonymous);
  const problems = definitionProblems(preview.error, error);
  const unreadable =
    definition.trim() === "" || nodeIn(definition) !== undefined
      ? []
      : [{ path: "definition", message: "is no JSON object" }];
  return (
    <>
      <ConditionsField
        title="Definition"
        name="definition"
        mode="audience"
        text={definition}
        problems={[...unreadable, ...problems]}
        change={(text) => change({ definition: text })}
      />
      {nodeIn(definition) !== undefined && <Preview of={preview} />}
    </>
  );
}

interface FormProps {
  readonly initial: Wanted;
  readonly error: Error | null;
  readonly children: (wanted: Wanted) => ReactNode;
  readonly hasDefinition: boolean;
  readonly canBeAnonymous?: boolean;
  /** While it is being saved: what was typed then would be lost. */
  readonly isPending: boolean;
  readonly submit: (wanted: Wanted) => void;
}

/** `children` are its buttons. */
export function AudienceForm({
  canBeAnonymous = false,
  children,
  error,
  hasDefinition,
  initial,
  isPending,
  submit,
}: FormProps) {
  const [wanted, setWanted] = useState(initial);
  const change = (changes: Partial<Wanted>): void => setWanted({ ...wanted, ...changes });
  return (
    <form className="edit" inert={isPending} onSubmit={submitting(() => submit(wanted))}>
      <fieldset>
        <legend>General</legend>
        <SharedFields wanted={wanted} change={change} />
        {canBeAnonymous && hasDefinition && (
          <Switch
            label="profiles without a user id may be members"
            isOn={wanted.includeAnonymous}
            change={(includeAnonymous) => change({ includeAnonymous })}
          />
        )}
      </fieldset>
      {hasDefinition && <DefinitionFields wanted={wanted} change={change} error={error} />}
      <div className="row">{children(wanted)}</div>
    </form>
  );
}
