// What a definition costs each call and profile that is judged by it, counted in conditions. Bounded when it is made; one that is kept from
// before is judged all the same.
import { isJsonObject } from "#contract";
import { MAX_SEARCHES, MAX_SPACE_CONDITIONS, MAX_SPACE_SEARCHES } from "./limits.ts";

export interface DefinitionCost {
  /** Leaves, and each entry of their `where`. */
  readonly conditions: number;
  /** Of these `contains` and `not_contains`, which look into a whole text or list. */
  readonly searches: number;
}

const NOTHING: DefinitionCost = { conditions: 0, searches: 0 };

function sum(a: DefinitionCost, b: DefinitionCost): DefinitionCost {
  return { conditions: a.conditions + b.conditions, searches: a.searches + b.searches };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Of a filter, or the definition of an audience or a computed trait, that a parser has accepted. */
export function definitionCost(node: unknown): DefinitionCost {
  if (!isJsonObject(node)) return NOTHING;
  const { all, any, not, members, op, followedBy, notFollowedBy, where } = node;
  const isGroup = [all, any, not, members].some((one) => one !== undefined);
  const isSearch = op === "contains" || op === "not_contains";
  const own = { conditions: isGroup ? 0 : 1, searches: isSearch ? 1 : 0 };
  return [...listOf(all), ...listOf(any), not, members, followedBy, notFollowedBy, ...listOf(where)]
    .map(definitionCost)
    .reduce(sum, own);
}

/**
 * What is wrong with the cost of a new definition; undefined for nothing. `before` is that of the definition that it replaces, which may
 * be older than the bound: what costs no more is taken.
 */
export function costProblem({ searches }: DefinitionCost, before = NOTHING): string | undefined {
  return searches > MAX_SEARCHES && searches > before.searches
    ? `has ${searches} conditions with contains or not_contains, at most ${MAX_SEARCHES} are allowed`
    : undefined;
}

/** As `costProblem`, of a new definition of an audience or a computed trait beside all others: one call may be judged by all of them. */
export function spaceCostProblem(
  own: DefinitionCost,
  others: Iterable<DefinitionCost>,
  before = NOTHING,
): string | undefined {
  const { conditions, searches } = [...others].reduce(sum, own);
  if (searches > MAX_SPACE_SEARCHES && own.searches > before.searches)
    return `brings the audiences and computed traits to ${searches} conditions with contains or not_contains, at most ${MAX_SPACE_SEARCHES} are allowed together`;
  return conditions > MAX_SPACE_CONDITIONS && own.conditions > before.conditions
    ? `brings the audiences and computed traits to ${conditions} conditions, at most ${MAX_SPACE_CONDITIONS} are allowed together`
    : undefined;
}
