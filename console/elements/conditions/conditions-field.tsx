// Conditions as a form, or as the JSON that it makes; what the form cannot show is JSON.
import { useId, useState } from "react";
import type { FieldError } from "../../api/problem.ts";
import { Text } from "../text.tsx";
import { Builder } from "./builder.tsx";
import { isNode } from "./node.ts";
import { BLANK_TRAIT_DEFINITION, KINDS, type Mode, type Node } from "./tables.ts";

interface ConditionsFieldProps {
  readonly title: string;
  readonly name: string;
  readonly mode: Mode;
  /** As JSON; empty for none. */
  readonly text: string;
  readonly problems: readonly FieldError[];
  readonly change: (text: string) => void;
  readonly hint?: string | undefined;
  /** Without it there always are some. */
  readonly canBeNone?: boolean;
}

/** Undefined for what is no object. */
export function nodeIn(text: string): Node | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isNode(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const textOfNode = (node: Node): string => JSON.stringify(node, undefined, 2);

function AsJson({ change, name, problems, text, title }: ConditionsFieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{title} as JSON</label>
      <textarea
        id={id}
        rows={10}
        spellCheck={false}
        aria-invalid={problems.length > 0}
        aria-describedby={`${id}-note`}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      <div id={`${id}-note`}>
        {problems.map(({ message, path }) => (
          <p className="bad" key={`${path} ${message}`}>
            <code>{path || name}</code> <Text most={500}>{message}</Text>
          </p>
        ))}
      </div>
    </div>
  );
}

function AsForm(props: ConditionsFieldProps) {
  const { canBeNone = false, change, mode, name, problems, text } = props;
  const node = nodeIn(text);
  if (node !== undefined)
    return (
      <>
        <Builder
          name={name}
          mode={mode}
          node={node}
          problems={problems}
          change={(changed) => change(textOfNode(changed))}
        />
        {canBeNone && (
          <button type="button" className="small" onClick={() => change("")}>
            Remove all of it
          </button>
        )}
      </>
    );
  const blank =
    mode === "trait" ? BLANK_TRAIT_DEFINITION : KINDS[mode === "filter" ? "path" : "event"]?.blank;
  return (
    <button type="button" onClick={() => change(textOfNode(blank ?? {}))}>
      Add a condition
    </button>
  );
}

export function ConditionsField(props: ConditionsFieldProps) {
  const { hint, text, title } = props;
  const [isForm, setIsForm] = useState(true);
  const canBeForm = text.trim() === "" || nodeIn(text) !== undefined;
  const isShown = isForm && canBeForm;
  return (
    <fieldset className="conditions">
      <legend>{title}</legend>
      <div className="row">
        <button type="button" aria-pressed={isShown} disabled={!canBeForm} onClick={() => setIsForm(true)}>
          Form
        </button>
        <button type="button" aria-pressed={!isShown} onClick={() => setIsForm(false)}>
          JSON
        </button>
        {hint !== undefined && <span className="quiet">{hint}</span>}
      </div>
      {isShown ? <AsForm {...props} /> : <AsJson {...props} />}
    </fieldset>
  );
}
