import { isJsonObject } from "#contract";
import type { ComputedTraitDefinition, Reading, ReduceFn } from "./definition.ts";
import { isReduceFn, NAME_FIELDS, readReducedLeaf } from "./event-leaf.ts";
import { Problems } from "./problems.ts";
import { leafOf, readSubject } from "./subject.ts";

const ROOT = "definition";

/**
 * Reads the definition of a computed trait (contract 8.2), `{ event | page | …, where?, within?, reduce: { fn, path } }`, from JSON
 * of any shape. Every wrong field is named at once.
 */
export function parseComputedTrait(input: unknown): Reading<ComputedTraitDefinition> {
  const problems = new Problems();
  const object = problems.object(input, ROOT);
  if (object === undefined) return { ok: false, problems: problems.list };
  const { of, rest } = readSubject(object, ROOT, problems);
  const [nameField = "event", second] = NAME_FIELDS.filter((field) => Object.hasOwn(rest, field));
  if (second !== undefined) problems.add(`${ROOT}.${second}`, `cannot stand beside ${nameField}`);
  const leaf = readReducedLeaf(rest, { path: ROOT, nameField }, problems);
  if (leaf === undefined || problems.list.length > 0) return { ok: false, problems: problems.list };
  return { ok: true, definition: { kind: "trait", of, leaf: leafOf(leaf, of) } };
}

/** The reducer of a definition that was accepted once; undefined for all else. */
export function reduceFnOf(input: unknown): ReduceFn | undefined {
  const reduce = isJsonObject(input) ? input["reduce"] : undefined;
  const fn = isJsonObject(reduce) ? reduce["fn"] : undefined;
  return isReduceFn(fn) ? fn : undefined;
}
