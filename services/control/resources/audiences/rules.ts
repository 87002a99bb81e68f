// What a schema cannot say of audiences and computed traits: keys and definitions.
import {
  type AudienceContext,
  costProblem,
  definitionCost,
  keyProblem,
  parseAudience,
  parseComputedTrait,
  snakeCase,
  spaceCostProblem,
  subjectIn,
} from "#audiences";
import { isJsonObject, type JsonObject } from "#contract";
import type { AudienceConfig } from "#topics";
import type { FieldProblem } from "../../http/problem.ts";
import { costsBeside, namedBy, referencesByKey } from "./references.ts";
import type { AudienceResource } from "./resource.ts";
import { sendProblems } from "./send-rules.ts";

export interface CreateRules {
  readonly resource: AudienceResource;
  /** Everything that has ever been made. */
  readonly configs: readonly AudienceConfig[];
}

/** The key that is given, or else made of the name; "" when neither makes one. */
export function keyOf({ key, name }: { readonly key?: unknown; readonly name?: unknown }): string {
  if (typeof key === "string") return key;
  return typeof name === "string" ? snakeCase(name) : "";
}

/** `body` may have any shape: what its schema refuses is passed over here, so that all problems are named together. */
export function createProblems(body: unknown, { configs, resource }: CreateRules): FieldProblem[] {
  const given: JsonObject = isJsonObject(body) ? body : {};
  const { definition } = given;
  const isGiven = definition !== undefined;
  return [
    ...keyProblems(given, configs),
    ...(isGiven ? definitionProblems(definition, { resource, configs, ownKey: keyOf(given) }) : []),
    ...(resource === "audience" ? kindProblems(given) : []),
    ...anonymousProblems(given),
    ...backfillProblems(given),
    ...(resource === "audience" ? sendProblems(given, { configs, ownKey: keyOf(given) }) : []),
  ];
}

/** What a definition may name, and what it may not. */
function contextOf(configs: readonly AudienceConfig[]): AudienceContext {
  const computed = configs.filter(({ deletedAtMs, kind }) => deletedAtMs === null && kind === "trait");
  return { audiences: referencesByKey(configs), computedTraits: new Set(computed.map(({ key }) => key)) };
}

/** What is wrong with a definition that is only asked about. */
export function previewProblems(body: unknown, configs: readonly AudienceConfig[]): readonly FieldProblem[] {
  if (!isJsonObject(body) || body["definition"] === undefined) return [];
  const { definition } = body;
  const reading = parseAudience(definition, contextOf(configs));
  if (!reading.ok) return [...reading.problems, ...anonymousProblems(body)];
  const message = costProblem(definitionCost(definition));
  return [...(message === undefined ? [] : [{ path: "definition", message }]), ...anonymousProblems(body)];
}

/** The same of a computed trait. */
export function traitPreviewProblems(body: unknown): readonly FieldProblem[] {
  if (!isJsonObject(body) || body["definition"] === undefined) return [];
  const { definition } = body;
  const reading = parseComputedTrait(definition);
  if (!reading.ok) return reading.problems;
  const message = costProblem(definitionCost(definition));
  return message === undefined ? [] : [{ path: "definition", message }];
}

function keyProblems(given: JsonObject, configs: readonly AudienceConfig[]): FieldProblem[] {
  const isDerived = given["key"] === undefined;
  const path = isDerived ? "name" : "key";
  const key = keyOf(given);
  if (isDerived && (typeof given["name"] !== "string" || given["name"] === "")) return [];
  if (isDerived && key === "")
    return [{ path, message: "has no Latin letter and no digit to make a key of: give a key" }];
  const problem = keyProblem(isDerived ? key : given["key"]);
  if (problem !== undefined) return [{ path, message: isDerived ? `its key ${problem}: give one` : problem }];
  if (!configs.some((one) => one.key === key)) return [];
  return [
    { path, message: `the key "${key}" is used, or was by one that is deleted; keys are never reused` },
  ];
}

/** Who forgets the definition is asked which of both is meant: one that is made as a list stays a list. */
function kindProblems(given: JsonObject): FieldProblem[] {
  const isDefined = given["definition"] !== undefined;
  if (given["kind"] === "list")
    return isDefined ? [{ path: "definition", message: LISTED }] : listProblems(given);
  if (isDefined) return [];
  if (given["kind"] === "audience") return [{ path: "definition", message: "is required for an audience" }];
  const kinds = '"audience" (with a definition) or "list" (members are imported)';
  return given["kind"] === undefined ? [{ path: "kind", message: `must say ${kinds}` }] : [];
}

const LISTED = "cannot be given to a list, whose members are imported users";

function listProblems({ includeAnonymous, backfill }: JsonObject): FieldProblem[] {
  const message = LISTED;
  return [
    ...(includeAnonymous === true ? [{ path: "includeAnonymous", message }] : []),
    ...(backfill === undefined ? [] : [{ path: "backfill", message }]),
  ];
}

function anonymousProblems({ definition, includeAnonymous }: JsonObject): FieldProblem[] {
  if (includeAnonymous !== true || subjectIn(definition) === "users") return [];
  return [{ path: "includeAnonymous", message: "must be left out: accounts have no anonymous ids" }];
}

function backfillProblems({ backfill }: JsonObject): FieldProblem[] {
  if (!isJsonObject(backfill) || backfill["mode"] !== "none" || backfill["days"] === undefined) return [];
  return [{ path: "backfill.days", message: "must be left out: with mode none nothing is looked back on" }];
}

interface DefinitionRules extends CreateRules {
  readonly ownKey: string;
  /** What has the definition now; undefined for a new one. */
  readonly before?: AudienceConfig;
}

function definitionProblems(
  definition: unknown,
  { before, configs, ownKey, resource }: DefinitionRules,
): readonly FieldProblem[] {
  const reading =
    resource === "computed_trait"
      ? parseComputedTrait(definition)
      : parseAudience(definition, { ...contextOf(configs), ownKey });
  if (!reading.ok) return reading.problems;
  const { of } = reading.definition;
  if (before !== undefined && namedBy(before).of !== of)
    return [
      { path: "definition.of", message: `must stay "${namedBy(before).of}": make another one of ${of}` },
    ];
  const cost = definitionCost(definition);
  const costBefore = before && namedBy(before).cost;
  const message =
    costProblem(cost, costBefore) ?? spaceCostProblem(cost, costsBeside(ownKey, configs), costBefore);
  return message === undefined ? [] : [{ path: "definition", message }];
}

/** As `createProblems`, of a change of `before`. */
export function patchProblems(
  body: unknown,
  before: AudienceConfig,
  { configs, resource }: CreateRules,
): readonly FieldProblem[] {
  if (!isJsonObject(body)) return [];
  const { definition } = body;
  const ownKey = before.key;
  const sent = resource === "audience" ? sendProblems(body, { configs, ownKey }) : [];
  if (definition === undefined) return sent;
  if (before.kind === "list") return [{ path: "definition", message: LISTED }, ...sent];
  return [...definitionProblems(definition, { configs, resource, ownKey, before }), ...sent];
}
