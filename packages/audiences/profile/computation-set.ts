// All audiences and computed traits of a space, compiled so that a call finds those that it touches.
import { NAMED_CALL_TYPES } from "#contract";
import type { Condition, EventLeaf, Test } from "../definition/definition.ts";
import { keysAt } from "../definition/paths.ts";
import { type LeafPlan, planLeaf } from "../leaves/plan.ts";
import { type Computation, type ComputationInput, isMetByNothing, type Node, rootOf } from "./computation.ts";

/** A leaf with what has it, and is to be evaluated when it changes; what names these is found by `withNaming`. */
export interface LeafUse {
  readonly plan: LeafPlan;
  readonly computations: Computation[];
  /** Events of profiles from this offset on are counted as they come; those before it by a backfill. */
  readonly fromOffset: number;
  /** Another number after each time that the leaf was retired and begun anew, and what profiles had of it was forgotten. */
  readonly life: number;
}

/** What is known of a leaf in one partition. */
export interface LeafCoverage {
  /** As that of `LeafUse`; Infinity: nothing is counted yet. */
  readonly fromOffset: number;
  /** All that the leaf looks back on is counted. */
  readonly isReady: boolean;
  /** As that of `LeafUse`; 0 unless given. */
  readonly life?: number;
}

export type CoverageOf = (plan: LeafPlan) => LeafCoverage;

const READY: LeafCoverage = { fromOffset: 0, isReady: true };

export interface ComputationSet {
  readonly computations: ReadonlyMap<string, Computation>;
  /** By id: versions that are prepared beside the one that holds. */
  readonly beside: ReadonlyMap<string, Computation>;
  /** By type and name of the call. */
  readonly events: Readonly<Record<EventLeaf["type"], ReadonlyMap<string, readonly LeafUse[]>>>;
  /** Audiences and lists of users that accounts are told about. */
  readonly told: readonly Computation[];
  /** By leaf key. */
  readonly leaves: ReadonlyMap<string, LeafUse>;
  /** By top-level trait. */
  readonly traits: ReadonlyMap<string, readonly Computation[]>;
  /** By an audience, a list or a computed trait: the audiences that name it. */
  readonly naming: ReadonlyMap<Computation, readonly Computation[]>;
  /** Those that may hold for a profile without calls and traits. */
  readonly whenEmpty: readonly Computation[];
}

/** Each value once: the same one comes only directly after itself, so that thousands of them are not searched for each. */
function pushOnce<V>(list: V[], value: V): void {
  if (list.at(-1) !== value) list.push(value);
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else pushOnce(list, value);
}

class Compiler {
  readonly byId = new Map<string, Computation>();
  readonly byKey = new Map<string, Computation>();
  readonly beside = new Map<string, Computation>();
  readonly leaves = new Map<string, LeafUse>();
  readonly events = Object.fromEntries(
    [...NAMED_CALL_TYPES, "member"].map((type) => [type, new Map<string, LeafUse[]>()]),
  ) as Record<EventLeaf["type"], Map<string, LeafUse[]>>;
  readonly traits = new Map<string, Computation[]>();
  readonly naming = new Map<Computation, Computation[]>();
  readonly #coverageOf: CoverageOf;

  constructor(coverageOf: CoverageOf) {
    this.#coverageOf = coverageOf;
  }

  use(plan: LeafPlan): LeafUse {
    const { key, name, type } = plan.leaf;
    const known = this.leaves.get(key);
    if (known !== undefined) return known;
    const { fromOffset, life = 0 } = this.#coverageOf(plan);
    const use: LeafUse = { plan, computations: [], fromOffset, life };
    this.leaves.set(key, use);
    push(this.events[type], name, use);
    return use;
  }

  /** Registers `user` with every leaf of its own; all of them before the next user's. */
  index(node: Node, user: Computation): void {
    if (node.kind === "not") this.index(node.of, user);
    else if ("of" in node) for (const one of node.of) this.index(one, user);
    else if (node.kind === "event") this.indexPlan(node.plan, user);
    else if (node.kind === "composite") this.indexComposite(node, user);
    else if (node.kind === "trait") this.indexCondition(node.condition, user);
    else if (node.kind === "computed") {
      this.indexTest(node.test, user);
      this.indexNamed(node.trait, user);
    } else this.indexNamed(node.audience, user);
  }

  indexNamed(named: Computation | undefined, user: Computation): void {
    if (named !== undefined && this.byId.get(user.id) === user) push(this.naming, named, user);
  }

  indexPlan(plan: LeafPlan, user: Computation): void {
    pushOnce(this.use(plan).computations, user);
    for (const { test } of plan.compared) this.indexTest(test, user);
  }

  indexComposite({ ask, plans }: Node & { kind: "composite" }, user: Computation): void {
    for (const plan of plans) this.indexPlan(plan, user);
    if (ask.kind === "value") this.indexTest(ask.test, user);
  }

  indexCondition({ path, test }: Condition, user: Computation): void {
    this.indexPath(path, user);
    this.indexTest(test, user);
  }

  /** What is compared with a trait is judged again when that changes. */
  indexTest(test: Test, user: Computation): void {
    if (test.op === "against_trait") this.indexPath(test.trait, user);
  }

  indexPath(path: readonly string[], user: Computation): void {
    for (const [key] of keysAt(path)) push(this.traits, key, user);
  }

  get told(): Computation[] {
    return [...this.events.member.keys()].flatMap((key) => this.byKey.get(key) ?? []);
  }

  /** What a leaf says that has not counted everything yet could be wrong. */
  holdBackUnready(): void {
    const unready = new Set<Computation>();
    for (const { computations, plan } of this.leaves.values())
      if (!this.#coverageOf(plan).isReady) for (const one of computations) unready.add(one);
    for (const one of withNaming(unready, this.naming)) one.state = "preparing";
  }
}

/** Adds the audiences that name them, through others too. Linear: a list of all users for each leaf would be as long as both multiplied. */
export function withNaming(found: Set<Computation>, naming: ComputationSet["naming"]): Set<Computation> {
  for (const one of found) for (const other of naming.get(one) ?? []) found.add(other);
  return found;
}

/**
 * Compiles all of a space. An edited computation may be there twice, live and preparing: then `computations` and names of audiences mean the
 * one that is not preparing. One with a leaf that is not ready is preparing whatever its input says: it is folded, and not evaluated.
 */
export function compileSet(
  inputs: readonly ComputationInput[],
  coverageOf: CoverageOf = () => READY,
): ComputationSet {
  const compiler = new Compiler(coverageOf);
  const computations = inputs.map((input): Computation => {
    const plan = input.definition.kind === "trait" ? planLeaf(input.definition.leaf) : undefined;
    return { ...input, root: undefined, plan };
  });
  for (const one of computations) {
    if (one.state === "preparing" && compiler.byId.has(one.id)) {
      compiler.beside.set(one.id, one);
      continue;
    }
    compiler.byId.set(one.id, one);
    compiler.byKey.set(one.key, one);
  }
  for (const one of computations)
    if (one.definition.kind === "audience")
      one.root = rootOf(one.definition, (key) => compiler.byKey.get(key));
  for (const one of computations) {
    if (one.plan !== undefined) compiler.indexPlan(one.plan, one);
    if (one.root !== undefined) compiler.index(one.root, one);
  }
  compiler.holdBackUnready();
  const empty = new Map<Computation, boolean>();
  const whenEmpty = computations.filter(({ root }) => root !== undefined && isMetByNothing(root, empty));
  const { beside, byId, events, leaves, naming, told, traits } = compiler;
  return { computations: byId, beside, events, leaves, naming, told, traits, whenEmpty };
}
