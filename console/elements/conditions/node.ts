// Changes of conditions as JSON: pure, so that what the form makes is what the API is sent.
import { CALL_KINDS } from "../../api/tables.generated.ts";
import {
  BLANK_TRAIT,
  KINDS,
  MEASURES,
  type Mode,
  type Node,
  OPERATORS,
  TRAIT_TYPE,
  VALUE_TYPES,
  WINDOWS,
} from "./tables.ts";

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The choice whose field stands in the node; "" where none does. */
export function choiceIn(table: Readonly<Record<string, unknown>>, node: Node): string {
  return Object.keys(table).find((field) => field !== "" && Object.hasOwn(node, field)) ?? "";
}

export const kindOf = (node: Node): string => choiceIn(KINDS, node);

export const isGroup = (kind: string): kind is "all" | "any" => kind === "all" || kind === "any";

export function choicesOf<C extends { readonly title: string; readonly only?: Mode }>(
  table: Readonly<Record<string, C>>,
  mode: Mode,
): readonly (readonly [value: string, title: string])[] {
  return Object.entries(table)
    .filter(([, { only }]) => only === undefined || (only === "filter") === (mode === "filter"))
    .map(([value, { title }]) => [value, title] as const);
}

export function without(node: Node, ...fields: readonly string[]): Node {
  return Object.fromEntries(Object.entries(node).filter(([field]) => !fields.includes(field)));
}

export interface Child {
  readonly path: string;
  readonly node: Node;
}

const listOf = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** Of a group, or of a list under a field, by the paths that problems and explanations name. */
export function childrenOf(node: Node, field: string, path: string): readonly Child[] {
  return listOf(node[field]).map((one, at) => ({ path: `${path}.${field}[${at}]`, node: one }));
}

/** The list under the field with one of its nodes replaced; undefined removes it. */
export function replaced(node: Node, field: string, { at, by }: { at: number; by: Node | undefined }): Node {
  const list = listOf(node[field]).flatMap((one, index) => (index === at ? (by ?? []) : one));
  return list.length === 0 && field === "where" ? without(node, field) : { ...node, [field]: list };
}

export function added(node: Node, field: string, one: Node): Node {
  return { ...node, [field]: [...listOf(node[field]), one] };
}

/** Of the definition as a whole: they stay at its root. */
const ROOT_FIELDS: readonly string[] = ["everyone", "of"];

/** The node as another kind: what stands in a group stays, and a condition becomes the first one of its group. */
export function asKind(node: Node, kind: string): Node {
  const root = Object.fromEntries(Object.entries(node).filter(([field]) => ROOT_FIELDS.includes(field)));
  const before = kindOf(node);
  const known = isGroup(before)
    ? listOf(node[before])
    : [before === "not" ? node["not"] : node].filter(isNode);
  const members = known.map((one) => without(one, ...ROOT_FIELDS)).filter((one) => kindOf(one) !== "");
  if (isGroup(kind)) return { [kind]: members, ...root };
  if (kind === "not") {
    const [first = {}] = members;
    return { not: members.length > 1 ? { all: members } : first, ...root };
  }
  return { ...KINDS[kind]?.blank, ...root };
}

/** Calls of another kind, which keep their name. */
export function withCallKind(node: Node, kind: string): Node {
  const before = choiceIn(KINDS, node);
  return { ...without(node, ...CALL_KINDS), [kind]: node[before] ?? "" };
}

/** What the value of a computed trait is; how many there are needs no path. */
export function withTraitFn(node: Node, fn: string): Node {
  const before = isNode(node["reduce"]) ? node["reduce"] : {};
  const path = before["path"] ?? "properties.total";
  return { ...node, reduce: fn === "count" ? { fn } : { fn, path } };
}

const MEASURE_FIELDS = [...Object.keys(MEASURES), "op", "value", "ignoreCase"];

/** What calls must have done; a window that the choice can have stays. */
export function withMeasure(node: Node, choice: string): Node {
  const { blank = {}, windows = [] } = MEASURES[choice] ?? {};
  const rest = without(node, ...MEASURE_FIELDS);
  const window = choiceIn(WINDOWS, node);
  if (!windows.includes(window)) return { ...without(rest, ...Object.keys(WINDOWS)), ...blank };
  return { ...rest, ...(window === "" ? blank : without(blank, ...Object.keys(WINDOWS))) };
}

export function withWindow(node: Node, choice: string): Node {
  return { ...without(node, ...Object.keys(WINDOWS)), ...WINDOWS[choice]?.blank };
}

/** How the value is written: one of `VALUE_TYPES`, or a trait; the first where the operator does not have it. */
export function valueTypeOf(node: Node): string {
  const { op, value } = node;
  const types = Object.keys(VALUE_TYPES[OPERATORS[String(op)]?.value ?? "none"]);
  if (isNode(value)) return TRAIT_TYPE;
  const names: Readonly<Record<string, string>> = {
    string: "text",
    number: "number",
    boolean: "yes or no",
    // Null: a number that is not typed yet.
    object: "number",
  };
  const [first] = Array.isArray(value) ? value : [];
  const name = Array.isArray(value) ? `${names[typeof first] ?? "text"}s` : names[typeof value];
  return name !== undefined && types.includes(name) ? name : (types[0] ?? "");
}

export function blankValue(op: string, type: string): unknown {
  if (type === TRAIT_TYPE) return BLANK_TRAIT;
  return VALUE_TYPES[OPERATORS[op]?.value ?? "none"][type];
}

/** A value that the new operator can have stays. */
export function withOperator(node: Node, op: string): Node {
  const { canBeTrait, canIgnoreCase, value: kind = "none" } = OPERATORS[op] ?? {};
  const before = OPERATORS[String(node["op"])]?.value;
  const type = valueTypeOf({ ...node, op });
  const isKept = isNode(node["value"]) ? canBeTrait === true : fits(node["value"], kind, before);
  const value = isKept ? node["value"] : blankValue(op, type === TRAIT_TYPE ? "" : type);
  const rest = without(node, "value", ...(canIgnoreCase ? [] : ["ignoreCase"]));
  return { ...rest, op, ...(value !== undefined && { value }) };
}

/** Dates and durations are texts, too: they stay only under an operator of their own kind. */
function fits(value: unknown, kind: string, before: string | undefined): boolean {
  if (kind === "none" || value === undefined) return false;
  if (kind === before) return true;
  if (kind === "date" || kind === "duration" || before === "date" || before === "duration") return false;
  if (kind === "list" || Array.isArray(value)) return false;
  return Object.values(VALUE_TYPES[kind as "scalar"]).some((one) => typeof one === typeof value);
}
