import type { JsonObject } from "#contract";
import type { AudienceDefinition, Expression, Reading } from "./definition.ts";
import { type Gathered, readNode } from "./expression.ts";
import { asksForSomething } from "./polarity.ts";
import { Problems } from "./problems.ts";
import { type AudienceReferences, checkReferences } from "./references.ts";
import { definitionOf, readSubject } from "./subject.ts";

export interface AudienceContext {
  /** Every audience and computed trait that a definition may name, lists of members included; undefined: not known yet, so no name is checked. */
  readonly audiences: AudienceReferences | undefined;
  /** Keys of computed traits, of which no condition knows the value; none when they are not known. */
  readonly computedTraits?: ReadonlySet<string>;
  /** Key of the audience that is defined: it may not depend on itself. */
  readonly ownKey?: string | undefined;
}

const ROOT = "definition";
const EVERYONE: Expression = { kind: "all", of: [] };

function readRoot(
  { everyone, ...rest }: JsonObject,
  gathered: Gathered,
  audiences: AudienceReferences | undefined,
): Expression | undefined {
  if (everyone !== undefined && everyone !== true)
    gathered.problems.add(`${ROOT}.everyone`, "must be true or left out");
  if (everyone === true && Object.keys(rest).length === 0) return EVERYONE;
  const expression = readNode(rest, { path: ROOT, depth: 0 }, gathered);
  // Whether nobody meets what is named cannot be said without its names: control, which knows them, has asked.
  if (everyone === true || expression === undefined || audiences === undefined) return expression;
  if (
    gathered.problems.list.length > 0 ||
    asksForSomething(expression, { leaves: gathered.leaves, audiences })
  )
    return expression;
  return gathered.problems.add(
    ROOT,
    'only excludes: add a condition that someone must meet, or "everyone": true beside it',
  );
}

function computedTraitProblem(key: string): string {
  return `"${key}" is a computed trait, which no identify call sets: write {"computedTrait": "${key}", "op": …, "value": …}`;
}

/**
 * Reads the definition of an audience (contract 8.6) from JSON of any shape. Every wrong field is named at once, by paths like
 * `definition.all[0].where[0].op`.
 */
export function parseAudience(input: unknown, context: AudienceContext): Reading<AudienceDefinition> {
  const problems = new Problems();
  const object = problems.object(input, ROOT);
  const { of, rest } = readSubject(object ?? {}, ROOT, problems);
  const gathered: Gathered = { problems, of, leaves: new Map(), references: [], traits: [], leafCount: 0 };
  const expression = object && readRoot(rest, gathered, context.audiences);
  problems.checkLeafCount(gathered.leafCount, ROOT);
  const { audiences, computedTraits, ownKey } = context;
  for (const { key, path } of gathered.traits)
    if (computedTraits?.has(key) === true) problems.add(path, computedTraitProblem(key));
  if (audiences !== undefined) checkReferences(gathered.references, { audiences, of, ownKey, problems });
  if (expression === undefined || problems.list.length > 0) return { ok: false, problems: problems.list };
  const references = [...new Set(gathered.references.map(({ key }) => key))];
  const { leaves } = gathered;
  const definition = { kind: "audience", of: "users", expression, leaves, references } as const;
  return { ok: true, definition: definitionOf(definition, of) };
}
