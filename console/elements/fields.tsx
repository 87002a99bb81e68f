// Small fields, side by side.
import { type ReactNode, type SyntheticEvent, useId, useState } from "react";
import { visibleLine } from "./visible-text.ts";

/** Handles a form on this page: the browser would load it anew. */
export const submitting =
  (submit: (form: HTMLFormElement) => void) =>
  (event: SyntheticEvent<HTMLFormElement>): void => {
    event.preventDefault();
    submit(event.currentTarget);
  };

interface LabelledProps {
  readonly label: string;
  readonly children: (id: string) => ReactNode;
}

function Labelled({ children, label }: LabelledProps) {
  const id = useId();
  return (
    <div className="filter">
      <label htmlFor={id}>{label}</label>
      {children(id)}
    </div>
  );
}

interface TextInputProps {
  readonly label: string;
  readonly value: unknown;
  readonly change: (text: string) => void;
}

export function TextInput({ change, label, value }: TextInputProps) {
  return (
    <Labelled label={label}>
      {(id) => (
        <input
          id={id}
          value={typeof value === "string" ? value : ""}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Labelled>
  );
}

interface NumberInputProps {
  readonly label: string;
  readonly value: unknown;
  readonly change: (value: unknown) => void;
}

/** Null where it is none, which control refuses: the field keeps what is typed meanwhile (`1.`, `-`). */
function numberIn(text: string): number | null {
  const number = Number(text);
  return text.trim() === "" || !Number.isFinite(number) ? null : number;
}

export function NumberInput({ change, label, value }: NumberInputProps) {
  const [typed, setTyped] = useState(String(value ?? ""));
  const shown = numberIn(typed) === value ? typed : String(value ?? "");
  return (
    <Labelled label={label}>
      {(id) => (
        <input
          id={id}
          inputMode="decimal"
          value={shown}
          onChange={({ target }) => {
            setTyped(target.value);
            change(numberIn(target.value));
          }}
        />
      )}
    </Labelled>
  );
}

interface ListInputProps {
  readonly label: string;
  readonly value: unknown;
  readonly areNumbers: boolean;
  readonly change: (values: readonly unknown[]) => void;
}

/** Empty lines are none of the values, and stay in the field. Without a number the list has a null, by which it stays one of numbers. */
export function ListInput({ areNumbers, change, label, value }: ListInputProps) {
  const textOf = (given: unknown): string => (Array.isArray(given) ? given.join("\n") : "");
  const valuesIn = (text: string): readonly unknown[] => {
    const lines = text.split("\n").filter((line) => line.trim() !== "");
    return areNumbers ? (lines.length === 0 ? [""] : lines).map(numberIn) : lines;
  };
  const [typed, setTyped] = useState(textOf(value));
  const shown = JSON.stringify(valuesIn(typed)) === JSON.stringify(value) ? typed : textOf(value);
  return (
    <Labelled label={`${label}, one a line`}>
      {(id) => (
        <textarea
          id={id}
          rows={3}
          spellCheck={false}
          value={shown}
          onChange={({ target }) => {
            setTyped(target.value);
            change(valuesIn(target.value));
          }}
        />
      )}
    </Labelled>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: readonly (readonly [value: string, title: string])[];
  readonly change: (value: string) => void;
}

export function Choice({ change, choices, label, value }: ChoiceProps) {
  return (
    <Labelled label={label}>
      {(id) => (
        <select id={id} value={value} onChange={({ target }) => change(target.value)}>
          {!choices.some(([one]) => one === value) && <option value={value}>choose …</option>}
          {choices.map(([one, title]) => (
            <option key={one} value={one}>
              {visibleLine(title, 60)}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly change: (isOn: boolean) => void;
}

export function Switch({ change, isOn, label }: SwitchProps) {
  return (
    <label className="switch">
      <input type="checkbox" checked={isOn} onChange={({ target }) => change(target.checked)} /> {label}
    </label>
  );
}
