// Why a call passes a filter, or does not.
import type { CallFilter } from "../definition/call-filter.ts";
import type { Condition } from "../definition/definition.ts";
import { fieldNaming } from "../definition/event-leaf.ts";
import { valueAt } from "../definition/paths.ts";
import { nameOf } from "../leaves/call-filter.ts";
import { meetsOne } from "../leaves/condition.ts";

export interface DecidingCondition {
  /** As problems name it: `filter.all[0].where[1]`. */
  readonly path: string;
  readonly holds: boolean;
  /** What the call has there; undefined for nothing, and for null. */
  readonly value: unknown;
}

export interface FilterExplanation {
  readonly isPassing: boolean;
  /** Conditions that decide together: whatever the others come to, the answer is the same. */
  readonly decidedBy: readonly DecidingCondition[];
}

/** `root` is the call as it is delivered. */
export function explainFilter(filter: CallFilter, root: unknown, path = "filter"): FilterExplanation {
  switch (filter.kind) {
    case "all":
    case "any":
      return explainGroup(filter, root, path);
    case "not": {
      const of = explainFilter(filter.of, root, `${path}.not`);
      return { ...of, isPassing: !of.isPassing };
    }
    case "condition":
      return decided(conditionAt(filter.condition, root, path));
    case "call":
      return explainCall(filter, root, path);
  }
}

function decided(...decidedBy: readonly DecidingCondition[]): FilterExplanation {
  return { isPassing: decidedBy.every(({ holds }) => holds), decidedBy };
}

function conditionAt(condition: Condition, root: unknown, path: string): DecidingCondition {
  return { path, holds: meetsOne(condition, root), value: valueAt(root, condition.path) };
}

/** One member decides where it is enough, else all of them do. */
function explainGroup(
  { kind, of }: Extract<CallFilter, { readonly kind: "all" | "any" }>,
  root: unknown,
  path: string,
): FilterExplanation {
  const isEnough = kind === "any";
  const decidedBy: DecidingCondition[] = [];
  for (const [index, one] of of.entries()) {
    const member = explainFilter(one, root, `${path}.${kind}[${index}]`);
    if (member.isPassing === isEnough) return member;
    decidedBy.push(...member.decidedBy);
  }
  return { isPassing: !isEnough, decidedBy };
}

function explainCall(
  { name, type, where }: Extract<CallFilter, { readonly kind: "call" }>,
  root: unknown,
  path: string,
): FilterExplanation {
  const given = nameOf(root, type);
  const named = { path: `${path}.${fieldNaming(type)}`, holds: given === name, value: given };
  if (!named.holds) return decided(named);
  const conditions = [named];
  for (const [index, condition] of where.entries()) {
    const one = conditionAt(condition, root, `${path}.where[${index}]`);
    if (!one.holds) return decided(one);
    conditions.push(one);
  }
  return decided(...conditions);
}
