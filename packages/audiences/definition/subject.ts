// Whether a definition is about users or about accounts: `"of": "accounts"` at its root.
import { isJsonObject, type JsonObject, mustBeOneOf } from "#contract";
import type { AudienceDefinition, EventLeaf, Subject } from "./definition.ts";
import { keyed } from "./event-leaf.ts";
import { withEventLeaves } from "./event-leaves.ts";
import type { Problems } from "./problems.ts";

const SUBJECTS: readonly Subject[] = ["users", "accounts"];

/** The root without it. */
export function readSubject(
  { of, ...rest }: JsonObject,
  path: string,
  problems: Problems,
): { readonly of: Subject; readonly rest: JsonObject } {
  const subject = of === undefined ? "users" : SUBJECTS.find((one) => one === of);
  if (subject === undefined) problems.add(`${path}.of`, mustBeOneOf(of, SUBJECTS));
  return { of: subject ?? "users", rest };
}

/** Of a definition that was accepted once; users for all else. */
export function subjectIn(definition: unknown): Subject {
  return isJsonObject(definition) && definition["of"] === "accounts" ? "accounts" : "users";
}

/** Another leaf than that of users: what one of them has counted says nothing of the other. */
export function leafOf<L extends EventLeaf>(leaf: L, of: Subject): L {
  if (of === "users") return leaf;
  const { key: _, ...rest } = leaf;
  return { ...leaf, ...keyed({ ...rest, of }) };
}

export function definitionOf(definition: AudienceDefinition, of: Subject): AudienceDefinition {
  if (of === "users") return definition;
  return { ...withEventLeaves(definition, (leaf) => leafOf(leaf, of)).definition, of };
}
