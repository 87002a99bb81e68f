// What in a schema breaks programs that were written for an earlier one: those that send it, or those that read it.
import { isJsonObject, type JsonObject } from "#contract";

export interface Documents {
  readonly released: JsonObject;
  readonly current: JsonObject;
}

interface Context extends Documents {
  /** Whether callers send it or read it. */
  readonly direction: "request" | "answer";
  /** For people: where the schema stands. */
  readonly at: string;
  /** Names of the components that are being compared further out; a schema may hold itself. */
  readonly within?: ReadonlySet<string>;
}

interface Schemas {
  readonly released: unknown;
  readonly current: unknown;
}

/** One clause for each change; empty when whoever knows the released schema gets on with the current one. */
export function schemaChanges(schemas: Schemas, context: Context): string[] {
  const { within = new Set<string>() } = context;
  const name = JSON.stringify([referenceOf(schemas.released), referenceOf(schemas.current)]);
  const isReference = name !== "[null,null]";
  if (isReference && within.has(name)) return [];
  const inner = isReference ? { ...context, within: new Set([...within, name]) } : context;
  const released = resolved(schemas.released, context.released);
  const current = resolved(schemas.current, context.current);
  const pair = { released, current };
  return [
    ...typeChanges(pair, inner),
    ...(inner.direction === "request" ? [...enumChanges(pair, inner), ...limitChanges(pair, inner)] : []),
    ...propertyChanges(pair, inner),
    ...requiredChanges(pair, inner),
    ...itemChanges(pair, inner),
    ...branchChanges(pair, inner),
  ];
}

interface Pair {
  readonly released: JsonObject;
  readonly current: JsonObject;
}

function referenceOf(schema: unknown): string | null {
  const reference = isJsonObject(schema) ? schema["$ref"] : undefined;
  return typeof reference === "string" ? reference : null;
}

function resolved(schema: unknown, document: JsonObject): JsonObject {
  const reference = referenceOf(schema);
  if (reference === null) return isJsonObject(schema) ? schema : {};
  const path = reference.split("/").slice(1);
  const target = path.reduce<unknown>((at, key) => (isJsonObject(at) ? at[key] : undefined), document);
  return isJsonObject(target) ? target : {};
}

/** undefined is any. */
function typesOf({ type }: JsonObject): readonly unknown[] | undefined {
  return type === undefined ? undefined : [type].flat();
}

function typeChanges({ released, current }: Pair, { at, direction }: Context): string[] {
  const [narrow, wide] = direction === "request" ? [released, current] : [current, released];
  const [from, to] = [typesOf(narrow), typesOf(wide)];
  // A file is what its media type says, whether its schema says so or nothing.
  if (current["format"] === "binary" && typesOf(released) === undefined) return [];
  if (to === undefined || from?.every((type) => takes(to, type))) return [];
  const text = (types: readonly unknown[] | undefined) => types?.join(" or ") ?? "anything";
  return [`${at} was ${text(typesOf(released))}, and is ${text(typesOf(current))}`];
}

function takes(types: readonly unknown[], type: unknown): boolean {
  return types.includes(type) || (type === "integer" && types.includes("number"));
}

function enumChanges({ released, current }: Pair, { at }: Context): string[] {
  const now = current["enum"];
  if (!Array.isArray(now)) return [];
  const before = released["enum"];
  if (!Array.isArray(before)) return [`${at} takes listed values only`];
  const gone = before.filter((value) => !now.includes(value));
  return gone.length === 0 ? [] : [`${at} does not take ${gone.join(", ")} any more`];
}

const AT_LEAST = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
const AT_MOST = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

function limitChanges({ released, current }: Pair, { at }: Context): string[] {
  const limit = (schema: JsonObject, key: string, none: number) => Number(schema[key] ?? none);
  const tighter = [
    ...AT_LEAST.filter((key) => limit(current, key, -Infinity) > limit(released, key, -Infinity)),
    ...AT_MOST.filter((key) => limit(current, key, Infinity) < limit(released, key, Infinity)),
    ...["pattern", "uniqueItems"].filter(
      (key) => current[key] !== undefined && current[key] !== released[key],
    ),
  ];
  return tighter.map((key) => `${at} has the tighter ${key} ${String(current[key])}`);
}

function propertiesOf({ properties }: JsonObject): JsonObject {
  return isJsonObject(properties) ? properties : {};
}

function propertyChanges(pair: Pair, context: Context): string[] {
  const { at, direction } = context;
  const now = propertiesOf(pair.current);
  const isClosed = pair.current["additionalProperties"] === false;
  const closed =
    direction === "request" && isClosed && pair.released["additionalProperties"] !== false
      ? [`${at} takes no other fields any more`]
      : [];
  const fields = Object.entries(propertiesOf(pair.released)).flatMap(([field, released]) => {
    const current = now[field];
    if (current !== undefined)
      return schemaChanges({ released, current }, { ...context, at: `${at}: ${field}` });
    return direction === "answer" || isClosed ? [`${at}: ${field} is gone`] : [];
  });
  return [...closed, ...fields];
}

function requiredOf({ required }: JsonObject): readonly unknown[] {
  return Array.isArray(required) ? required : [];
}

function requiredChanges({ released, current }: Pair, { at, direction }: Context): string[] {
  const [before, after] = [requiredOf(released), requiredOf(current)];
  if (direction === "request") {
    const added = after.filter((field) => !before.includes(field));
    return added.map((field) => `${at}: ${String(field)} is required now`);
  }
  const now = propertiesOf(current);
  const dropped = before.filter((field) => !after.includes(field) && String(field) in now);
  return dropped.map((field) => `${at}: ${String(field)} may be missing now`);
}

function itemChanges({ released, current }: Pair, context: Context): string[] {
  return ["items", "additionalProperties"].flatMap((key) => {
    const [before, after] = [released[key], current[key]];
    if (!isJsonObject(before) || !isJsonObject(after)) return [];
    return schemaChanges({ released: before, current: after }, { ...context, at: `${context.at}, each` });
  });
}

/** Each form that may come must be one that was, or is, understood. */
function branchChanges({ released, current }: Pair, context: Context): string[] {
  return ["anyOf", "oneOf"].flatMap((key) => {
    const [before, after] = [released[key], current[key]];
    if (!Array.isArray(before) || !Array.isArray(after)) return [];
    const fits = (one: unknown, other: unknown) =>
      schemaChanges({ released: one, current: other }, context).length === 0;
    const isBroken =
      context.direction === "request"
        ? before.some((one) => !after.some((other) => fits(one, other)))
        : after.some((other) => !before.some((one) => fits(one, other)));
    return isBroken ? [`${context.at} has other forms`] : [];
  });
}
