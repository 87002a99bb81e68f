// { event | page | …, where, within, between, after, before, count | reduce }
import { hash } from "node:crypto";
import { describeJson, type JsonObject, mustBeOneOf, NAMED_CALL_TYPES, type NamedCallType } from "#contract";
import { inOneOrder, isAgainstTrait, isPassing, readPath, readWhere } from "./conditions.ts";
import {
  type CountMeasure,
  type EventLeaf,
  type Leaf,
  REDUCE_FNS,
  type ReduceFn,
  type ReduceMeasure,
} from "./definition.ts";
import { MAX_COUNT, MAX_PASSING_COUNT, MAX_TEXT_CHARACTERS } from "./limits.ts";
import type { Problems } from "./problems.ts";
import { readWindow } from "./windows.ts";

/** The field of a leaf that names the calls, and by its own name says of which type they are: `event` says track. */
export type NameField = "event" | Exclude<NamedCallType, "track">;

export function fieldNaming(type: NamedCallType): NameField {
  return type === "track" ? "event" : type;
}

export const NAME_FIELDS = NAMED_CALL_TYPES.map(fieldNaming);

export function typeNamedBy(field: NameField): NamedCallType {
  return field === "event" ? "track" : field;
}

/** What says which calls count. */
export const FIELDS = ["where", "within", "between", "after", "before"];

type Keyless<L> = L extends Leaf ? Omit<L, "key"> : never;

/** The leaf under the hash of its content, 96 bits of it: two leaves that say the same are one. */
export function keyed<L extends Keyless<Leaf>>(leaf: L): L & { readonly key: string } {
  const content = JSON.stringify(leaf, (_field, value: unknown) =>
    typeof value === "number" && !Number.isFinite(value) ? String(value) : value,
  );
  return { ...leaf, key: hash("sha256", content, "base64url").slice(0, 16) };
}

/** A name of 1 to 1,000 characters; otherwise a problem. */
export function readName(value: unknown, path: string, problems: Problems): string | undefined {
  if (typeof value === "string" && value !== "" && value.length <= MAX_TEXT_CHARACTERS) return value;
  return problems.add(
    path,
    `must be a name of 1 to ${MAX_TEXT_CHARACTERS} characters, is ${describeJson(value)}`,
  );
}

/** As `readName`, of calls. */
export function readCallName(value: unknown, path: string, problems: Problems): string | undefined {
  if (value !== "*") return readName(value, path, problems);
  const several = '{"any": [{"event": "Signed Up"}, {"event": "Order Completed"}]}';
  return problems.add(path, `"*" does not stand for every name: write the name; several stand in ${several}`);
}

export const AT_LEAST_ONCE: CountMeasure = { kind: "count", op: "gte", value: 1 };

const COUNT_OPS: Readonly<Record<string, (value: number) => CountMeasure>> = {
  gt: (value) => ({ kind: "count", op: "gte", value: value + 1 }),
  gte: (value) => ({ kind: "count", op: "gte", value }),
  lt: (value) => ({ kind: "count", op: "lte", value: value - 1 }),
  lte: (value) => ({ kind: "count", op: "lte", value }),
  eq: (value) => ({ kind: "count", op: "eq", value }),
};

/** At least once when it is left out. */
export function readCount(input: unknown, path: string, problems: Problems): CountMeasure | undefined {
  if (input === undefined) return AT_LEAST_ONCE;
  const object = problems.object(input, path);
  if (object === undefined) return undefined;
  problems.refuseUnknown(object, ["op", "value"], path);
  const { op, value } = object;
  const measure = typeof op === "string" && Object.hasOwn(COUNT_OPS, op) ? COUNT_OPS[op] : undefined;
  if (measure === undefined) problems.add(`${path}.op`, mustBeOneOf(op, Object.keys(COUNT_OPS)));
  const isCount = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT;
  if (!isCount) return problems.add(`${path}.value`, `must be a whole number from 0 to ${MAX_COUNT}`);
  return measure?.(value);
}

export function isReduceFn(value: unknown): value is ReduceFn {
  return REDUCE_FNS.some((fn) => fn === value);
}

export function readReduce(input: unknown, path: string, problems: Problems): ReduceMeasure | undefined {
  const object = problems.object(input, path);
  if (object === undefined) return undefined;
  problems.refuseUnknown(object, ["fn", "path"], path);
  const { fn } = object;
  if (!isReduceFn(fn)) return problems.add(`${path}.fn`, mustBeOneOf(fn, REDUCE_FNS));
  if (fn !== "count") {
    const parts = readPath(object["path"], `${path}.path`, problems);
    return parts && { kind: "reduce", fn, path: parts };
  }
  if (object["path"] !== undefined) problems.add(`${path}.path`, "must be left out: count takes none");
  return { kind: "reduce", fn, path: [] };
}

export interface Place {
  readonly path: string;
  readonly nameField: NameField;
}

export function readOccurrences(object: JsonObject, { path, nameField }: Place, problems: Problems) {
  const type = typeNamedBy(nameField);
  const name = readCallName(object[nameField], `${path}.${nameField}`, problems);
  const where = inOneOrder(readWhere(object["where"], `${path}.where`, problems));
  return {
    kind: "event",
    type,
    name: name ?? "",
    where,
    window: readWindow(object, path, problems),
  } as const;
}

/** An event leaf of an audience: how often it must have happened. */
export function readEventLeaf(object: JsonObject, place: Place, problems: Problems): EventLeaf | undefined {
  problems.refuseUnknown(object, [place.nameField, ...FIELDS, "count"], place.path);
  const occurrences = readOccurrences(object, place, problems);
  const measure = readCount(object["count"], `${place.path}.count`, problems);
  if (measure === undefined) return undefined;
  if (
    measure.value > MAX_PASSING_COUNT &&
    occurrences.where.some((one) => isPassing(one) || isAgainstTrait(one))
  ) {
    const most = `must be at most ${MAX_PASSING_COUNT} beside within_last, within_next or a trait`;
    return problems.add(`${place.path}.count.value`, most);
  }
  return keyed({ ...occurrences, measure });
}

/** The one leaf of a computed trait: what is made of the occurrences. */
export function readReducedLeaf(object: JsonObject, place: Place, problems: Problems) {
  problems.refuseUnknown(object, [place.nameField, ...FIELDS, "reduce"], place.path);
  const occurrences = readOccurrences(object, place, problems);
  const measure = readReduce(object["reduce"], `${place.path}.reduce`, problems);
  return measure && keyed({ ...occurrences, measure });
}
