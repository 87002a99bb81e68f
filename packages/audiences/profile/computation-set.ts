// All audiences and computed traits of a space, compiled so that a call finds those that it touches.
import type { OccurrenceType } from "../definition/definition.ts";
import { type LeafPlan, planLeaf } from "../leaves/plan.ts";
import { type Computation, type ComputationInput, isMetByNothing, type Node, rootOf } from "./computation.ts";

/** A leaf with what is to be evaluated when it changes, through audiences that name audiences too. */
export interface LeafUse {
  readonly plan: LeafPlan;
  readonly computations: Computation[];
  /** Events of profiles from this offset on are counted as they come; those before it by a backfill. */
  readonly fromOffset: number;
}

/** What is known of a leaf in one partition. */
export interface LeafCoverage {
  /** As that of `LeafUse`; Infinity: nothing is counted yet. */
  readonly fromOffset: number;
  /** All that the leaf looks back on is counted. */
  readonly isReady: boolean;
}

export type CoverageOf = (plan: LeafPlan) => LeafCoverage;

const READY: LeafCoverage = { fromOffset: 0, isReady: true };

export interface ComputationSet {
  readonly computations: ReadonlyMap<string, Computation>;
  /** By id: versions that are prepared beside the one that holds. */
  readonly beside: ReadonlyMap<string, Computation>;
  /** By type and name of the call. */
  readonly events: Readonly<Record<OccurrenceType, ReadonlyMap<string, readonly LeafUse[]>>>;
  /** By leaf key. */
  readonly leaves: ReadonlyMap<string, LeafUse>;
  /** By top-level trait. */
  readonly traits: ReadonlyMap<string, readonly Computation[]>;
  /** By id of a list: what names it. */
  readonly lists: ReadonlyMap<string, readonly Computation[]>;
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
  readonly events = { track: new Map(), page: new Map(), screen: new Map() } as Record<
    OccurrenceType,
    Map<string, LeafUse[]>
  >;
  readonly traits = new Map<string, Computation[]>();
  readonly lists = new Map<string, Computation[]>();
  readonly #coverageOf: CoverageOf;

  constructor(coverageOf: CoverageOf) {
    this.#coverageOf = coverageOf;
  }

  use(plan: LeafPlan): LeafUse {
    const { key, name, type } = plan.leaf;
    const known = this.leaves.get(key);
    if (known !== undefined) return known;
    const { fromOffset } = this.#coverageOf(plan);
    const use: LeafUse = { plan, computations: [], fromOffset };
    this.leaves.set(key, use);
    push(this.events[type], name, use);
    return use;
  }

  /** Registers `user` with every leaf below the node; all of them before the next user's. */
  index(node: Node, user: Computation): void {
    if (node.kind === "not") this.index(node.of, user);
    else if ("of" in node) for (const one of node.of) this.index(one, user);
    else if (node.kind === "event") this.indexPlan(node.plan, user);
    else if (node.kind === "trait") push(this.traits, node.condition.path[0] ?? "", user);
    else if (node.audience?.root !== undefined) this.index(node.audience.root, user);
    else if (node.audience !== undefined) push(this.lists, node.audience.id, user);
  }

  indexPlan(plan: LeafPlan, user: Computation): void {
    pushOnce(this.use(plan).computations, user);
  }

  /** What a leaf says that has not counted everything yet could be wrong. */
  holdBackUnready(): void {
    for (const { computations, plan } of this.leaves.values())
      if (!this.#coverageOf(plan).isReady) for (const one of computations) one.state = "preparing";
  }
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
    if (one.definition.kind !== "trait") compiler.byKey.set(one.key, one);
  }
  for (const one of computations)
    if (one.definition.kind === "audience")
      one.root = rootOf(one.definition, (key) => compiler.byKey.get(key));
  for (const one of computations) {
    if (one.plan !== undefined) compiler.indexPlan(one.plan, one);
    if (one.root !== undefined) compiler.index(one.root, one);
  }
  compiler.holdBackUnready();
  const whenEmpty = computations.filter(({ root }) => root !== undefined && isMetByNothing(root));
  const { beside, byId, events, leaves, lists, traits } = compiler;
  return { computations: byId, beside, events, leaves, lists, traits, whenEmpty };
}
