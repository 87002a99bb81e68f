// A then B within a time, and A then not B.
import type { JsonObject } from "#contract";
import type { Ask, EventLeaf, Leaf, Window } from "./definition.ts";
import { keyed, NAME_FIELDS, type Place } from "./event-leaf.ts";
import { compositeOf, readLastingCalls } from "./history-leaf.ts";
import { MAX_SEQUENCE_CALLS } from "./limits.ts";
import type { Problems } from "./problems.ts";
import { readDuration } from "./windows.ts";

/** A leaf that keeps the newest times: it is never asked how many there are. */
function timesLeaf(calls: ReturnType<typeof readLastingCalls>, window: Window): EventLeaf {
  return keyed({
    ...calls,
    window,
    measure: { kind: "count", op: "gte", value: MAX_SEQUENCE_CALLS },
  } as const);
}

/** The second call, of `followedBy` or `notFollowedBy`. */
function readNext(input: unknown, path: string, problems: Problems) {
  const object = problems.object(input, path);
  if (object === undefined) return undefined;
  const [nameField, second] = NAME_FIELDS.filter((field) => Object.hasOwn(object, field));
  if (nameField === undefined) return problems.add(path, `must have one of ${NAME_FIELDS.join(", ")}`);
  if (second !== undefined) return problems.add(`${path}.${second}`, `cannot stand beside ${nameField}`);
  problems.refuseUnknown(object, [nameField, "where", "within"], path);
  const calls = readLastingCalls({ ...object, within: undefined }, { path, nameField }, problems);
  const withinMs = readDuration(object["within"], `${path}.within`, problems);
  return withinMs === undefined ? undefined : { calls, withinMs };
}

function readSequence(
  object: JsonObject,
  { nameField, path }: Place,
  {
    field,
    kind,
    problems,
  }: { field: "followedBy" | "notFollowedBy"; kind: "followed" | "not_followed"; problems: Problems },
): Leaf | undefined {
  problems.refuseUnknown(object, [nameField, "where", "within", "after", "before", field], path);
  const calls = readLastingCalls(object, { path, nameField }, problems);
  const next = readNext(object[field], `${path}.${field}`, problems);
  if (object["within"] === undefined)
    problems.add(`${path}.within`, "is needed: how long ago the first call may be");
  else if (next !== undefined && next.withinMs >= calls.window.leaveMs)
    problems.add(`${path}.${field}.within`, "must be shorter than the within of the first call");
  if (next === undefined) return undefined;
  const ask: Ask = { kind, withinMs: next.withinMs };
  // What follows a call in the window is in it, too.
  const nextWindow = { ...next.calls.window, leaveMs: calls.window.leaveMs };
  return compositeOf(ask, timesLeaf(calls, calls.window), timesLeaf(next.calls, nextWindow));
}

export function readFollowedLeaf(object: JsonObject, place: Place, problems: Problems): Leaf | undefined {
  return readSequence(object, place, { field: "followedBy", kind: "followed", problems });
}

export function readNotFollowedLeaf(object: JsonObject, place: Place, problems: Problems): Leaf | undefined {
  return readSequence(object, place, { field: "notFollowedBy", kind: "not_followed", problems });
}
