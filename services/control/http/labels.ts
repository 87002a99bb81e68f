// Labels of sources and destinations: a person's own words for them, by which lists are narrowed. Nothing else looks at them.
import { type Static, Type } from "typebox";
import { isJsonObject } from "#contract";
import type { FieldProblem } from "./problem.ts";

export type Labels = Readonly<Record<string, string>>;

const MAX_LABELS = 16;
const MAX_VALUE_CHARACTERS = 128;
const KEY = "[a-z0-9][a-z0-9._-]{0,62}";
const KEY_FORM =
  "1 to 63 lower-case letters, digits, dots, underscores and hyphens, the first one a letter or a digit";
/** Every character but those of Unicode's category Cc, without a class that regular expressions of other languages lack. */
const NO_CONTROL = "[^\\u0000-\\u001f\\u007f-\\u009f]";
const KeyField = Type.String({ pattern: `^${KEY}$`, description: `${KEY_FORM}.` });

/** `type` and what else holds for a value. */
function labelsField<T>(type: string | string[], description: string) {
  return Type.Unsafe<T>({
    type: "object",
    maxProperties: MAX_LABELS,
    propertyNames: KeyField,
    additionalProperties: {
      type,
      maxLength: MAX_VALUE_CHARACTERS,
      pattern: `^${NO_CONTROL}*$`,
      description: "No control characters.",
    },
    description: `At most ${MAX_LABELS} labels, texts by their keys. A key is ${KEY_FORM}; a value has at most ${MAX_VALUE_CHARACTERS} characters. ${description}`,
  });
}

export const LabelsField = labelsField<Labels>("string", "Lists can be narrowed by them.");

export type LabelsPatch = Readonly<Record<string, string | null>>;

export const LabelsPatchField = labelsField<LabelsPatch>(
  ["string", "null"],
  "Labels that are not named stay; null removes one.",
);

const LabelFilter = Type.Array(
  Type.String({
    pattern: `^${KEY}(?::${NO_CONTROL}{0,${MAX_VALUE_CHARACTERS}})?$`,
    description: "key, or key:value.",
  }),
  {
    maxItems: MAX_LABELS,
    description:
      "Those that have this label (key), or this label with this value (key:value). Given several times, all of them have to hold.",
  },
);

/** Of the query of a list. */
export const LABEL_FIELDS = { label: Type.Optional(LabelFilter) };

interface Labelled {
  readonly labels: Labels;
}

export function hasLabels({ labels }: Labelled, wanted: Static<typeof LabelFilter> = []): boolean {
  return wanted.every((entry) => {
    const colon = entry.indexOf(":");
    const key = colon < 0 ? entry : entry.slice(0, colon);
    // A key may be the name of something that every object has.
    return Object.hasOwn(labels, key) && (colon < 0 || labels[key] === entry.slice(colon + 1));
  });
}

/** A merge patch of labels (RFC 7396), in the order of their keys. */
export function patchLabels(before: Labels, patch: LabelsPatch = {}): Record<string, string> {
  const entries = Object.entries({ ...before, ...patch });
  const left = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(left.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

/** What the schema cannot say of a change: how many there would be. `body` may have any shape. */
export function labelProblems(body: unknown, before: Labels = {}): FieldProblem[] {
  const patch = isJsonObject(body) ? body["labels"] : undefined;
  if (typeof patch !== "object" || patch === null) return [];
  const count = Object.values({ ...before, ...patch }).filter((value) => typeof value === "string").length;
  if (count <= MAX_LABELS) return [];
  return [
    { path: "labels", message: `would be ${count}, and at most ${MAX_LABELS} are kept: null removes one` },
  ];
}
