// A filter on single calls: groups and conditions as audiences have them, without what needs a user's history.
import type { JsonObject, NamedCallType } from "#contract";
import { isAgainstTrait, isPassing, readCondition, readWhere } from "./conditions.ts";
import type { Condition, Reading } from "./definition.ts";
import { NAME_FIELDS, type NameField, readCallName, typeNamedBy } from "./event-leaf.ts";
import { GROUPS, kindOf, type NodePlace, readGroup } from "./groups.ts";
import { MAX_READ_LEAVES } from "./limits.ts";
import { Problems } from "./problems.ts";

/** Which calls pass. */
export type CallFilter =
  | { readonly kind: "all" | "any"; readonly of: readonly CallFilter[] }
  | { readonly kind: "not"; readonly of: CallFilter }
  | { readonly kind: "condition"; readonly condition: Condition }
  /** Calls of one name. */
  | {
      readonly kind: "call";
      readonly type: NamedCallType;
      readonly name: string;
      readonly where: readonly Condition[];
    };

const KINDS = [...GROUPS, "path", ...NAME_FIELDS] as const;

/** What an audience's definition may have beside these. */
const HISTORY = [
  "trait",
  "computedTrait",
  "audience",
  "members",
  "everyone",
  "within",
  "between",
  "after",
  "before",
  "count",
  "reduce",
  "first",
  "afterBreak",
  "stopped",
  "followedBy",
  "notFollowedBy",
];
const NEEDS_HISTORY =
  "needs what is known of a user; a filter sees the call alone. An audience can have it, and be sent to the destination";

interface Gathered {
  readonly problems: Problems;
  leafCount: number;
}

/** A filter from JSON of any shape. Every wrong field is named at once, by paths like `filter.all[0].op`. */
export function parseCallFilter(input: unknown): Reading<CallFilter> {
  const gathered: Gathered = { problems: new Problems(), leafCount: 0 };
  const { problems } = gathered;
  const definition = readFilter(input, { path: "filter", depth: 0 }, gathered);
  problems.checkLeafCount(gathered.leafCount, "filter");
  return definition === undefined || problems.list.length > 0
    ? { ok: false, problems: problems.list }
    : { ok: true, definition };
}

function readFilter(input: unknown, place: NodePlace, gathered: Gathered): CallFilter | undefined {
  const { problems } = gathered;
  if (problems.isFull || gathered.leafCount > MAX_READ_LEAVES) return undefined;
  const given = problems.object(input, place.path);
  if (given === undefined) return undefined;
  const { object, isPlain } = withoutHistory(given, place.path, problems);
  const isNamed = isPlain || KINDS.some((one) => Object.hasOwn(object, one));
  const kind = isNamed ? kindOf(object, place.path, problems, { kinds: KINDS }) : undefined;
  switch (kind) {
    case undefined:
      return undefined;
    case "all":
    case "any":
    case "not":
      return readGroup(kind, object, place, { problems, read: (one, at) => readFilter(one, at, gathered) });
    case "path":
      gathered.leafCount += 1;
      return readValue(object, place.path, problems);
    default:
      gathered.leafCount += 1;
      return readCall(kind, object, place.path, problems);
  }
}

/** What is left for the other checks, so that no field is named twice. */
function withoutHistory(given: JsonObject, path: string, problems: Problems) {
  const found = HISTORY.filter((field) => Object.hasOwn(given, field));
  for (const field of found) problems.add(`${path}.${field}`, NEEDS_HISTORY);
  if (found.length === 0) return { object: given, isPlain: true };
  const object = Object.fromEntries(Object.entries(given).filter(([field]) => !found.includes(field)));
  return { object, isPlain: false };
}

function readValue(object: JsonObject, path: string, problems: Problems): CallFilter | undefined {
  const condition = readCondition(object, path, problems);
  if (condition === undefined) return undefined;
  checkTraits([condition], `${path}.value`, problems);
  checkLasting([condition], `${path}.op`, problems);
  return { kind: "condition", condition };
}

function readCall(
  field: NameField,
  object: JsonObject,
  path: string,
  problems: Problems,
): CallFilter | undefined {
  problems.refuseUnknown(object, [field, "where"], path);
  const name = readCallName(object[field], `${path}.${field}`, problems);
  const where = readWhere(object["where"], `${path}.where`, problems);
  checkTraits(where, `${path}.where`, problems);
  checkLasting(where, `${path}.where`, problems);
  return name === undefined ? undefined : { kind: "call", type: typeNamedBy(field), name, where };
}

function checkTraits(conditions: readonly Condition[], path: string, problems: Problems): void {
  if (conditions.some(isAgainstTrait)) problems.add(path, `a trait ${NEEDS_HISTORY}`);
}

/** A call that is read again after a crash has to go the same way. */
function checkLasting(conditions: readonly Condition[], path: string, problems: Problems): void {
  if (conditions.some(isPassing))
    problems.add(
      path,
      "cannot be within_last or within_next: the answer would depend on when it is looked at",
    );
}
