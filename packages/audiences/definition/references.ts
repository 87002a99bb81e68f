// Audiences that name audiences and computed traits: no cycles, and at most four in each other.
import type { ReduceFn, Subject } from "./definition.ts";
import { MAX_NESTED_AUDIENCES } from "./limits.ts";
import type { Problems } from "./problems.ts";

/** What an audience names. A computed trait, which names nothing, has its `fn`. */
interface Named {
  readonly references: readonly string[];
  readonly fn?: ReduceFn | undefined;
  /** Lists are of users, too. */
  readonly of?: Subject | undefined;
}

/** By key: what each audience names. */
export type AudienceReferences = ReadonlyMap<string, Named>;

/** A place that names an audience, or a computed trait. */
export interface Reference {
  readonly path: string;
  readonly key: string;
  readonly isTrait: boolean;
  /** Of whom it must be, where it is not of whom the definition is. */
  readonly of?: Subject;
}

/** How many audiences are in each other below this one; 0 without references. Each is looked at once: fifty may name the same fifty. */
function depthBelow(key: string, audiences: AudienceReferences, known = new Map<string, number>()): number {
  const before = known.get(key);
  if (before !== undefined) return before;
  // Ends on a cycle too.
  known.set(key, 0);
  const depths = (audiences.get(key)?.references ?? []).map((one) => 1 + depthBelow(one, audiences, known));
  const depth = Math.max(0, ...depths);
  known.set(key, depth);
  return depth;
}

/** The other way round: which audiences name each of them. */
function referrersIn(audiences: AudienceReferences): AudienceReferences {
  const referrers = new Map<string, { readonly references: string[] }>();
  for (const [referrer, { references }] of audiences)
    for (const key of references) {
      const known = referrers.get(key);
      if (known === undefined) referrers.set(key, { references: [referrer] });
      else known.references.push(referrer);
    }
  return referrers;
}

/** The key, and all that it leads to. */
function allFrom(key: string, audiences: AudienceReferences): Set<string> {
  const found = new Set([key]);
  for (const one of found) for (const next of audiences.get(one)?.references ?? []) found.add(next);
  return found;
}

const ofTrait = (key: string): string =>
  `is a computed trait: write {"computedTrait": "${key}", "op": …, "value": …}`;

export interface ReferenceRules {
  readonly audiences: AudienceReferences;
  /** Of the audience that is defined, when it is there already. */
  readonly ownKey: string | undefined;
  /** Whom it is about. */
  readonly of: Subject;
  readonly problems: Problems;
}

/** Whether there is something of that name, and of the kind that is meant. */
function namingProblem(
  { isTrait, key, of: meant }: Reference,
  { audiences, of }: ReferenceRules,
): string | undefined {
  const named = audiences.get(key);
  if (named === undefined)
    return `there is no ${isTrait ? "computed trait" : "audience"} with the key "${key}"`;
  if (isTrait !== (named.fn !== undefined))
    return isTrait ? `is an audience: write {"audience": "${key}"}` : ofTrait(key);
  const subject = named.of ?? "users";
  if (subject === (meant ?? of)) return undefined;
  if (meant !== undefined) return `"${key}" is of ${subject}: name one of ${meant}`;
  return `"${key}" is not of ${of}, as this definition is: name one of ${of}`;
}

/** A problem for each reference that names nothing, leads back, or nests too deep. */
export function checkReferences(references: readonly Reference[], rules: ReferenceRules): void {
  const { audiences, ownKey, problems } = rules;
  const referrers = ownKey === undefined ? new Map() : referrersIn(audiences);
  const above = ownKey === undefined ? 0 : depthBelow(ownKey, referrers);
  const leadingBack = ownKey === undefined ? new Set() : allFrom(ownKey, referrers);
  const depths = new Map<string, number>();
  for (const reference of references) {
    const { key, path } = reference;
    const wrong = leadingBack.has(key)
      ? `leads back to this audience: "${key}" must not depend on "${ownKey}"`
      : namingProblem(reference, rules);
    if (wrong !== undefined) {
      problems.add(path, wrong);
    } else if (above + 1 + depthBelow(key, audiences, depths) > MAX_NESTED_AUDIENCES) {
      problems.add(path, `nests more than ${MAX_NESTED_AUDIENCES} audiences in each other`);
    }
  }
}
