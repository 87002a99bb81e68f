// One audience or computed trait of a space, compiled.
import type {
  Ask,
  AudienceDefinition,
  ComputedTraitDefinition,
  Condition,
  Expression,
  Test,
} from "../definition/definition.ts";
import { isAskMetByNothing, isMetByNone, isMetByZero } from "../definition/polarity.ts";
import { type LeafPlan, planLeaf } from "../leaves/plan.ts";
import type { Sends } from "./sent-along.ts";

export interface ComputationInput {
  readonly id: string;
  /** The trait's name in the identify (contract 8.4). */
  readonly key: string;
  readonly generation: number;
  /** Only live ones are evaluated and sent; the others fold what comes (decision 45). */
  readonly state: "preparing" | "live" | "paused";
  /** A newer version of it is prepared. */
  readonly isEarlier?: boolean;
  /** Of audiences. Computed traits are for users only. */
  readonly includeAnonymous: boolean;
  /** A list has its members from imports. */
  readonly definition: AudienceDefinition | ComputedTraitDefinition | { readonly kind: "list" };
  /** undefined: memberships and values alone. */
  readonly sends?: Sends | undefined;
}

export type Node =
  | { readonly kind: "all" | "any"; readonly of: readonly Node[] }
  | { readonly kind: "not"; readonly of: Node }
  | { readonly kind: "event"; readonly path: string; readonly plan: LeafPlan }
  | {
      readonly kind: "composite";
      readonly path: string;
      /** Of its parts. */
      readonly plans: readonly LeafPlan[];
      readonly ask: Ask;
    }
  | { readonly kind: "trait"; readonly path: string; readonly condition: Condition }
  | {
      readonly kind: "computed";
      readonly path: string;
      readonly trait: Computation | undefined;
      readonly test: Test;
    }
  | { readonly kind: "audience"; readonly path: string; readonly audience: Computation | undefined };

export interface Computation extends ComputationInput {
  /** As it was given; preparing also while what a leaf has to look back on is not counted yet. */
  state: ComputationInput["state"];
  /** Of an audience with a definition. */
  root: Node | undefined;
  /** Of a computed trait. */
  readonly plan: LeafPlan | undefined;
}

/** By key: the audience or computed trait that the name means. */
type NamedBy = (key: string) => Computation | undefined;

/** Of definitions that name nothing: the same in each partition, and after each change of another one. */
const known = new WeakMap<AudienceDefinition, Node>();

/** What is judged by; `named` finds what it names. */
export function rootOf(definition: AudienceDefinition, named: NamedBy): Node {
  const isAlone = definition.references.length === 0;
  const before = isAlone ? known.get(definition) : undefined;
  if (before !== undefined) return before;
  const root = nodeOf(definition.expression, definition, named);
  if (isAlone) known.set(definition, root);
  return root;
}

function nodeOf(expression: Expression, definition: AudienceDefinition, named: NamedBy): Node {
  if (expression.kind === "not") return { kind: "not", of: nodeOf(expression.of, definition, named) };
  if ("of" in expression)
    return { kind: expression.kind, of: expression.of.map((one) => nodeOf(one, definition, named)) };
  const { path } = expression;
  const leaf = definition.leaves.get(expression.leafKey);
  if (leaf?.kind === "event") return { kind: "event", path, plan: planLeaf(leaf) };
  if (leaf?.kind === "composite")
    return { kind: "composite", path, plans: leaf.parts.map(planLeaf), ask: leaf.ask };
  if (leaf?.kind === "trait") return { kind: "trait", path, condition: leaf.condition };
  if (leaf?.kind === "computed")
    return { kind: "computed", path, trait: named(leaf.traitKey), test: leaf.test };
  return { kind: "audience", path, audience: named(leaf?.audienceKey ?? "") };
}

/** Does as much as can be done of compiling it when it is read: a set of thousands, compiled at once, would hold the event loop. */
export function prepareDefinition(definition: AudienceDefinition | ComputedTraitDefinition): void {
  if (definition.kind === "trait") planLeaf(definition.leaf);
  else rootOf(definition, () => undefined);
}

/** Whether it may hold for a profile without calls and traits. `known`: named audiences, each looked into once. */
export function isMetByNothing(node: Node, known: Map<Computation, boolean>): boolean {
  switch (node.kind) {
    case "all":
      return node.of.every((one) => isMetByNothing(one, known));
    case "any":
      return node.of.some((one) => isMetByNothing(one, known));
    case "not":
      return !isMetByNothing(node.of, known);
    case "composite":
      return isAskMetByNothing(
        node.ask,
        node.plans.map(({ leaf }) => leaf),
      );
    case "trait":
      return node.condition.test.op === "not_exists";
    case "computed": {
      const { measure } = node.trait?.plan?.leaf ?? {};
      return measure?.kind === "reduce" && isMetByNone(node.test, measure.fn);
    }
    case "audience":
      return node.audience !== undefined && isNamedMetByNothing(node.audience, known);
    default:
      return isMetByZero(node.plan.leaf);
  }
}

function isNamedMetByNothing(audience: Computation, known: Map<Computation, boolean>): boolean {
  const before = known.get(audience);
  if (before !== undefined) return before;
  const isMet = audience.root !== undefined && isMetByNothing(audience.root, known);
  known.set(audience, isMet);
  return isMet;
}
