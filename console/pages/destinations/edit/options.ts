// Every option of a destination as a field of the form: how it is written as text, and read from text.

import type { Schemas } from "../../../api/client.ts";
import type { FieldError } from "../../../api/problem.ts";
import { OPTIONS as OF_CONTROL } from "../../../api/tables.generated.ts";
import { pairsText } from "../../../elements/pairs.ts";

export type Patch = Schemas["DestinationPatch"];
/** What of a destination is an option. */
export type Optioned = Pick<Schemas["Destination"], OptionName>;

/** Webhooks and secrets have parts of their own. */
export type OptionName = Exclude<keyof Patch, "webhooks" | "sharedSecret" | "previousSecretValidFor">;

/** `list`, `sources` and `pairs`: an entry a line. What is nullable is null where its text is empty. */
type OptionKind = "text" | "number" | "switch" | "list" | "sources" | "pairs" | "conditions";

interface Option {
  readonly title: string;
  readonly kind: OptionKind;
  readonly isNullable: boolean;
  readonly group: "general" | "selection" | "sending";
  readonly hint?: string;
}

/** Those of every resource, and those of control's table of options. */
export const OPTIONS: Readonly<Record<OptionName, Option>> = {
  name: { title: "Name", kind: "text", isNullable: false, group: "general" },
  enabled: {
    title: "Enabled",
    kind: "switch",
    isNullable: false,
    group: "general",
    hint: "Off: no call is sent to it.",
  },
  sourceIds: {
    title: "Sources",
    kind: "sources",
    isNullable: false,
    group: "general",
    hint: "Their calls are sent, from now on.",
  },
  labels: {
    title: "Labels",
    kind: "pairs",
    isNullable: false,
    group: "general",
    hint: "key: value, one a line",
  },
  ...OF_CONTROL,
};

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

export type Texts = Readonly<Record<OptionName, string>>;

const UNSET: Readonly<Record<OptionKind, unknown>> = {
  ...{ text: "", number: null, switch: false, list: [], sources: [], pairs: {}, conditions: null },
};

/** A destination before anything of it was chosen. */
export const BLANK = Object.fromEntries(
  OPTION_NAMES.map((name) => [name, OPTIONS[name].isNullable ? null : UNSET[OPTIONS[name].kind]]),
) as unknown as Optioned;

const ON = "on";
export const isOn = (text: string): boolean => text === ON;
export const switchText = (on: boolean): string => (on ? ON : "");

function textOf(value: unknown, kind: OptionKind): string {
  if (value === null || value === undefined) return "";
  if (kind === "switch") return switchText(value === true);
  if (kind === "conditions") return JSON.stringify(value, undefined, 2);
  if (Array.isArray(value)) return value.join("\n");
  if (typeof value === "object") return pairsText(value as Readonly<Record<string, string>>);
  return String(value);
}

export function textsOf(destination: Optioned): Texts {
  const entries = OPTION_NAMES.map((name) => [name, textOf(destination[name], OPTIONS[name].kind)]);
  return Object.fromEntries(entries) as Texts;
}

export const linesIn = (text: string): string[] =>
  text.split(/\r?\n/).flatMap((line) => (line.trim() === "" ? [] : line.trim()));

/** Of "key: value" lines. Throws where a line has no colon. */
export function pairsIn(text: string): Record<string, string> {
  const pairs = linesIn(text).map((line) => {
    const colon = line.indexOf(":");
    if (colon < 1) throw new Error(`has to be key: value in the line ${line}`);
    return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** As it would be sent. Throws, in words, where the text cannot be read. */
export const givenOf = (name: OptionName, texts: Texts): unknown => valueIn(texts[name], OPTIONS[name]);

/** Throws, in words, where the text is none of the kind. */
function valueIn(text: string, { isNullable, kind }: Option): unknown {
  if (kind === "switch") return isOn(text);
  if (isNullable && text.trim() === "") return null;
  if (kind === "list" || kind === "sources") return linesIn(text);
  if (kind === "pairs") return pairsIn(text);
  if (kind === "conditions") return jsonIn(text);
  if (kind === "text") return text.trim();
  const number = Number(text);
  if (Number.isNaN(number)) throw new Error("has to be a number, or empty");
  return number;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

export interface Changes {
  /** Only what was changed. */
  readonly patch: Patch;
  readonly problems: readonly FieldError[];
}

/** Labels that are gone are null in a merge patch. */
function patchOf(name: OptionName, value: unknown, before: Optioned): unknown {
  if (name !== "labels") return value;
  const gone = Object.keys(before.labels).map((key) => [key, null]);
  return { ...Object.fromEntries(gone), ...(value as Record<string, string>) };
}

/** A text that is as it was is no change, so what somebody else changes meanwhile stays. */
export function changesOf(before: Optioned, texts: Texts): Changes {
  const was = textsOf(before);
  const patch: Record<string, unknown> = {};
  const problems: FieldError[] = [];
  for (const name of OPTION_NAMES.filter((one) => texts[one] !== was[one]))
    try {
      patch[name] = patchOf(name, givenOf(name, texts), before);
    } catch (error) {
      problems.push({ path: name, message: error instanceof Error ? error.message : String(error) });
    }
  return { patch: patch as Patch, problems };
}
