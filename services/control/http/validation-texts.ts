// What is said of a value that its schema refuses: a clause that follows the field's name. It never repeats the value, which may be a secret.
import type { ErrorObject } from "ajv";
import { didYouMean, isJsonObject, mustBeOneOf } from "#contract";

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  object: "an object",
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  null: "null",
};

/** What was checked, as fastify names it. */
export type CheckedPart = "body" | "querystring";

type Text = (error: ErrorObject, part: CheckedPart) => string;

const limitOf = ({ params }: ErrorObject): number => Number(params["limit"]);
const counted = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
const characters = (count: number) => counted(count, "character", "characters");
const entries = (count: number) => counted(count, "entry", "entries");

/** By ajv's keyword. */
const TEXTS: Readonly<Record<string, Text>> = {
  required: () => "is required",
  additionalProperties: unknownField,
  enum: unknownValue,
  type: wrongKind,
  minLength: (error) =>
    limitOf(error) === 1 ? "must not be empty" : `must have at least ${characters(limitOf(error))}`,
  maxLength: (error) => `must have at most ${characters(limitOf(error))}`,
  minItems: (error) => `must have at least ${entries(limitOf(error))}`,
  maxItems: (error) => `must have at most ${entries(limitOf(error))}`,
  maxProperties: (error) => `must have at most ${entries(limitOf(error))}`,
  uniqueItems: ({ params }) => {
    const [first, second] = [Number(params["i"]), Number(params["j"])].toSorted((one, other) => one - other);
    return `must have no entry twice: [${first}] and [${second}] are the same`;
  },
  minimum: (error) => `must be at least ${limitOf(error)}`,
  maximum: (error) => `must be at most ${limitOf(error)}`,
  exclusiveMinimum: (error) => `must be more than ${limitOf(error)}`,
  pattern: ({ parentSchema }) => {
    const description: unknown = parentSchema?.["description"];
    return typeof description === "string"
      ? `is not of this form: ${description}`
      : "is not of the right form";
  },
};

/** For people. */
export function validationText(error: ErrorObject, part: CheckedPart): string {
  return TEXTS[error.keyword]?.(error, part) ?? "is refused";
}

function wrongKind({ data, params }: ErrorObject, part: CheckedPart): string {
  // Values of a query are texts; only a parameter that comes again is a list.
  if (part === "querystring" && Array.isArray(data)) return "is given more than once";
  return `must be ${[params["type"]].flat().map(kindOf).join(" or ")}`;
}

function kindOf(type: unknown): string {
  return KINDS[String(type)] ?? String(type);
}

function unknownField({ params, parentSchema }: ErrorObject, part: CheckedPart): string {
  const properties: unknown = parentSchema?.["properties"];
  const known = isJsonObject(properties) ? Object.keys(properties) : [];
  const what = part === "querystring" ? "a query parameter of this route" : "a field that can be set";
  return `is not ${what}${didYouMean(String(params["additionalProperty"]), known)}`;
}

function unknownValue({ data, params }: ErrorObject): string {
  const allowed = (params["allowedValues"] as readonly unknown[]).map(String);
  return mustBeOneOf(data, allowed);
}
