// Every option of a destination as a field of the form: how it is written as text, and read from text.
import type { Schemas } from "../../../api/client.ts";

export type Patch = Schemas["DestinationPatch"];
type Destination = Schemas["Destination"];

/** Webhooks and secrets have parts of their own. */
export type OptionName = Exclude<keyof Patch, "webhooks" | "sharedSecret" | "previousSecretValidFor">;

/** `list` and `pairs`: an entry a line. What is nullable is null where its text is empty. */
type OptionKind = "text" | "number" | "switch" | "list" | "pairs" | "json";

interface Option {
  readonly title: string;
  readonly kind: OptionKind;
  readonly isNullable: boolean;
  readonly hint?: string;
}

/** An option that the API has and this has not does not compile. */
export const OPTIONS: Readonly<Record<OptionName, Option>> = {
  name: { title: "Name", kind: "text", isNullable: false },
  enabled: { title: "Enabled", kind: "switch", isNullable: false },
  labels: { title: "Labels", kind: "pairs", isNullable: false, hint: "key: value, one a line" },
  sourceIds: {
    title: "Source ids",
    kind: "list",
    isNullable: false,
    hint: "One a line. spa_default is the source of audiences.",
  },
  callTypes: { title: "Call types", kind: "list", isNullable: true, hint: "One a line; none: all types." },
  events: {
    title: "Events",
    kind: "list",
    isNullable: true,
    hint: "Names of track calls, one a line; none: all.",
  },
  filter: {
    title: "Filter",
    kind: "json",
    isNullable: true,
    hint: 'As {"path": "properties.total", "op": "gte", "value": 100}; none: all calls.',
  },
  maxRequestsPerSecond: {
    title: "Requests a second",
    kind: "number",
    isNullable: true,
    hint: "None: no limit.",
  },
  maxInFlight: {
    title: "Requests in flight",
    kind: "number",
    isNullable: true,
    hint: "None: what the endpoint takes.",
  },
  shards: { title: "Shards", kind: "number", isNullable: true, hint: "None: the default, 4." },
  retryDelays: {
    title: "Retry delays",
    kind: "list",
    isNullable: true,
    hint: "As 10s or 5m, one a line; none: the installation's.",
  },
  retryWindow: {
    title: "Retry window",
    kind: "text",
    isNullable: true,
    hint: "As 4h; none: the installation's.",
  },
  disableAfter: {
    title: "Switched off after failing for",
    kind: "text",
    isNullable: true,
    hint: "As 3d; none: never.",
  },
  standardWebhooks: { title: "Standard Webhooks headers", kind: "switch", isNullable: false },
};

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[];

export type Texts = Readonly<Record<OptionName, string>>;

const ON = "on";
export const isOn = (text: string): boolean => text === ON;
export const switchText = (on: boolean): string => (on ? ON : "");

function textOf(value: unknown, kind: OptionKind): string {
  if (value === null || value === undefined) return "";
  if (kind === "switch") return switchText(value === true);
  if (kind === "json") return JSON.stringify(value, undefined, 2);
  if (Array.isArray(value)) return value.join("\n");
  if (typeof value === "object")
    return Object.entries(value)
      .map(([key, text]) => `${key}: ${text}`)
      .join("\n");
  return String(value);
}

export function textsOf(destination: Destination): Texts {
  const entries = OPTION_NAMES.map((name) => [name, textOf(destination[name], OPTIONS[name].kind)]);
  return Object.fromEntries(entries) as Texts;
}

const linesIn = (text: string): string[] =>
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

/** Throws, in words, where the text is none of the kind. */
function valueIn(text: string, { isNullable, kind }: Option): unknown {
  if (kind === "switch") return isOn(text);
  if (isNullable && text.trim() === "") return null;
  if (kind === "list") return linesIn(text);
  if (kind === "pairs") return pairsIn(text);
  if (kind === "json") return jsonIn(text);
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

export interface FieldProblem {
  readonly path: string;
  readonly message: string;
}

export interface Changes {
  /** Only what was changed. */
  readonly patch: Patch;
  readonly problems: readonly FieldProblem[];
}

/** Labels that are gone are null in a merge patch. */
function patchOf(name: OptionName, value: unknown, before: Destination): unknown {
  if (name !== "labels") return value;
  const gone = Object.keys(before.labels).map((key) => [key, null]);
  return { ...Object.fromEntries(gone), ...(value as Record<string, string>) };
}

/** A text that is as it was is no change, so what somebody else changes meanwhile stays. */
export function changesOf(before: Destination, texts: Texts): Changes {
  const was = textsOf(before);
  const patch: Record<string, unknown> = {};
  const problems: FieldProblem[] = [];
  for (const name of OPTION_NAMES.filter((one) => texts[one] !== was[one]))
    try {
      patch[name] = patchOf(name, valueIn(texts[name], OPTIONS[name]), before);
    } catch (error) {
      problems.push({ path: name, message: error instanceof Error ? error.message : String(error) });
    }
  return { patch: patch as Patch, problems };
}
