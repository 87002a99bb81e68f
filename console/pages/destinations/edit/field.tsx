// One option of the form, with what is wrong with it beside it.

import { type ReactNode, useId } from "react";
import type { FieldError } from "../../../api/problem.ts";
import { ConditionsField } from "../../../elements/conditions/conditions-field.tsx";
import { FieldNote } from "./field-note.tsx";
import { isOn, OPTIONS, type OptionName, switchText } from "./options.ts";
import { SourcesField } from "./sources-field.tsx";

interface FieldProps {
  readonly title: string;
  readonly hint?: string | undefined;
  /** Of this field and of what is in it. */
  readonly problems: readonly FieldError[];
  readonly children: (ids: {
    readonly id: string;
    readonly "aria-describedby": string;
    readonly "aria-invalid": boolean;
  }) => ReactNode;
}

export function Field({ children, hint, problems, title }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className="field">
      <label htmlFor={id}>{title}</label>
      {children({ id, "aria-describedby": noteId, "aria-invalid": problems.length > 0 })}
      <FieldNote id={noteId} hint={hint} problems={problems} />
    </div>
  );
}

/** Those of a field, and of what it holds. */
export function problemsOf(problems: readonly FieldError[], name: string): readonly FieldError[] {
  return problems.filter(
    ({ path }) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`),
  );
}

interface OptionFieldProps {
  readonly name: OptionName;
  readonly text: string;
  readonly problems: readonly FieldError[];
  readonly change: (text: string) => void;
}

export function OptionField({ change, name, problems, text }: OptionFieldProps) {
  const { hint, kind, title } = OPTIONS[name];
  if (kind === "conditions")
    return (
      <ConditionsField
        {...{ name, title, hint, text, change }}
        mode="filter"
        canBeNone
        problems={problemsOf(problems, name)}
      />
    );
  if (kind === "sources")
    return <SourcesField {...{ title, hint, text, change }} problems={problemsOf(problems, name)} />;
  const isLong = kind === "list" || kind === "pairs";
  return (
    <Field title={title} hint={hint} problems={problemsOf(problems, name)}>
      {(ids) => {
        if (kind === "switch")
          return (
            <input
              {...ids}
              type="checkbox"
              checked={isOn(text)}
              onChange={({ target }) => change(switchText(target.checked))}
            />
          );
        if (isLong)
          return (
            <textarea
              {...ids}
              rows={3}
              spellCheck={false}
              value={text}
              onChange={({ target }) => change(target.value)}
            />
          );
        return (
          <input
            {...ids}
            inputMode={kind === "number" ? "decimal" : "text"}
            value={text}
            onChange={({ target }) => change(target.value)}
          />
        );
      }}
    </Field>
  );
}
