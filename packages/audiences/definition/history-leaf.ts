// Conditions on when calls came first, last, or again after a break.
import type { JsonObject } from "#contract";
import { isAgainstTrait, isPassing } from "./conditions.ts";
import type { Ask, EventLeaf, Leaf, Window } from "./definition.ts";
import { AT_LEAST_ONCE, FIELDS, keyed, type Place, readOccurrences } from "./event-leaf.ts";
import type { Problems } from "./problems.ts";
import { LIFETIME, readDuration } from "./windows.ts";

/** The calls that are meant. Each is judged once, when it comes: what they are kept as has room for times alone. */
export function readLastingCalls(object: JsonObject, place: Place, problems: Problems) {
  const calls = readOccurrences(object, place, problems);
  if (calls.where.some((one) => isPassing(one) || isAgainstTrait(one)))
    problems.add(
      `${place.path}.where`,
      "cannot have within_last, within_next or a trait to compare with here",
    );
  return calls;
}

export function compositeOf(ask: Ask, ...parts: EventLeaf[]): Leaf {
  return keyed({ kind: "composite", parts, ask } as const);
}

/** The very leaf of "at least once": its state has the first and the last time. */
function lifetimeLeaf(
  calls: ReturnType<typeof readOccurrences>,
  dates: Pick<Window, "afterMs" | "beforeMs">,
) {
  return keyed({ ...calls, window: { ...LIFETIME, ...dates }, measure: AT_LEAST_ONCE });
}

const EVER = { afterMs: Number.NEGATIVE_INFINITY, beforeMs: Number.POSITIVE_INFINITY };

export function readFirstLeaf(object: JsonObject, place: Place, problems: Problems): Leaf {
  problems.refuseUnknown(object, [place.nameField, ...FIELDS, "first"], place.path);
  if (object["first"] !== true) problems.add(`${place.path}.first`, "must be true or left out");
  const calls = readLastingCalls(object, place, problems);
  const { window } = calls;
  const isAlways = window.leaveMs === LIFETIME.leaveMs && window.afterMs === EVER.afterMs;
  if (isAlways && window.beforeMs === EVER.beforeMs)
    problems.add(place.path, "needs within, between, after or before: when the first call may have been");
  return compositeOf({ kind: "first", window }, lifetimeLeaf(calls, EVER));
}

export function readStoppedLeaf(object: JsonObject, place: Place, problems: Problems): Leaf | undefined {
  const { nameField, path } = place;
  problems.refuseUnknown(object, [nameField, "where", "after", "before", "stopped"], path);
  const breakMs = readDuration(object["stopped"], `${path}.stopped`, problems);
  const calls = readLastingCalls(object, place, problems);
  const { afterMs, beforeMs } = calls.window;
  return breakMs === undefined
    ? undefined
    : compositeOf({ kind: "stopped", breakMs }, lifetimeLeaf(calls, { afterMs, beforeMs }));
}

export function readAfterBreakLeaf(object: JsonObject, place: Place, problems: Problems): Leaf | undefined {
  const { nameField, path } = place;
  problems.refuseUnknown(object, [nameField, "where", "within", "after", "before", "afterBreak"], path);
  const breakMs = readDuration(object["afterBreak"], `${path}.afterBreak`, problems);
  const calls = readLastingCalls(object, place, problems);
  if (object["within"] === undefined)
    problems.add(`${path}.within`, "is needed: how long ago a call after the break may be");
  return breakMs === undefined
    ? undefined
    : compositeOf({ kind: "after_break" }, keyed({ ...calls, measure: { kind: "runs", breakMs } }));
}
