// Audiences that name audiences: no cycles, and at most four in each other.
import { MAX_NESTED_AUDIENCES } from "./limits.ts";
import type { Problems } from "./problems.ts";

/** By key: which audiences each audience names. */
export type AudienceReferences = ReadonlyMap<string, { readonly references: readonly string[] }>;

/** A place that names an audience. */
export interface Reference {
  readonly path: string;
  readonly key: string;
}

/** How many audiences are in each other below this one; 0 without references. Ends on a cycle too. */
function depthBelow(key: string, audiences: AudienceReferences, above: readonly string[] = []): number {
  if (above.length > MAX_NESTED_AUDIENCES || above.includes(key)) return above.length;
  const depths = (audiences.get(key)?.references ?? []).map(
    (one) => 1 + depthBelow(one, audiences, [...above, key]),
  );
  return Math.max(0, ...depths);
}

/** How many audiences are in each other above this one. */
function depthAbove(key: string, audiences: AudienceReferences, below: readonly string[] = []): number {
  if (below.length > MAX_NESTED_AUDIENCES || below.includes(key)) return below.length;
  const depths = [...audiences]
    .filter(([, { references }]) => references.includes(key))
    .map(([referrer]) => 1 + depthAbove(referrer, audiences, [...below, key]));
  return Math.max(0, ...depths);
}

function leadsTo(from: string, to: string, audiences: AudienceReferences, seen = new Set<string>()): boolean {
  if (from === to) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return (audiences.get(from)?.references ?? []).some((one) => leadsTo(one, to, audiences, seen));
}

export interface ReferenceRules {
  readonly audiences: AudienceReferences;
  /** Of the audience that is defined, when it is there already. */
  readonly ownKey: string | undefined;
  readonly problems: Problems;
}

/** A problem for each reference that names nothing, leads back, or nests too deep. */
export function checkReferences(references: readonly Reference[], rules: ReferenceRules): void {
  const { audiences, ownKey, problems } = rules;
  const above = ownKey === undefined ? 0 : depthAbove(ownKey, audiences);
  for (const { key, path } of references) {
    if (ownKey !== undefined && leadsTo(key, ownKey, audiences)) {
      problems.add(path, `leads back to this audience: "${key}" must not depend on "${ownKey}"`);
    } else if (!audiences.has(key)) {
      problems.add(path, `there is no audience with the key "${key}"`);
    } else if (above + 1 + depthBelow(key, audiences) > MAX_NESTED_AUDIENCES) {
      problems.add(path, `nests more than ${MAX_NESTED_AUDIENCES} audiences in each other`);
    }
  }
}
