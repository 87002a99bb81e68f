// Which version of an edited audience or computed trait holds: the newest of which all leaves have counted what they look back on.
import type { EventLeaf, Leaf } from "../definition/definition.ts";
import { planLeaf } from "../leaves/plan.ts";
import type { ComputationInput } from "./computation.ts";
import type { CoverageOf } from "./computation-set.ts";

/** All versions of one computation, the newest first. */
export type Versions = readonly [ComputationInput, ...ComputationInput[]];

function eventLeavesOf(leaf: Leaf): readonly EventLeaf[] {
  if (leaf.kind === "composite") return leaf.parts;
  return leaf.kind === "event" ? [leaf] : [];
}

class Chooser {
  readonly #coverageOf: CoverageOf;
  readonly #byKey = new Map<string, Versions>();
  readonly #chosen = new Map<Versions, ComputationInput | undefined>();
  /** Audiences that are being chosen: versions of different times may name each other. */
  readonly #open = new Set<Versions>();

  constructor(all: readonly Versions[], coverageOf: CoverageOf) {
    this.#coverageOf = coverageOf;
    for (const versions of all) this.#byKey.set(versions[0].key, versions);
  }

  choose(versions: Versions): ComputationInput | undefined {
    if (this.#chosen.has(versions)) return this.#chosen.get(versions);
    if (this.#open.has(versions)) return undefined;
    this.#open.add(versions);
    const chosen = versions.find((version) => this.#isReady(version));
    this.#open.delete(versions);
    // What is chosen stays, also for those that are chosen later: so no two name each other. Nothing, found while another one is open, may
    // be something without it.
    if (chosen !== undefined || this.#open.size === 0) this.#chosen.set(versions, chosen);
    return chosen;
  }

  #isReady({ definition }: ComputationInput): boolean {
    if (definition.kind === "list") return true;
    if (definition.kind === "trait") return this.#hasCounted(definition.leaf);
    for (const leaf of definition.leaves.values())
      if (!eventLeavesOf(leaf).every((one) => this.#hasCounted(one))) return false;
    return definition.references.every((key) => {
      const named = this.#byKey.get(key);
      return named === undefined || this.choose(named) !== undefined;
    });
  }

  #hasCounted(leaf: EventLeaf): boolean {
    return this.#coverageOf(planLeaf(leaf)).isReady;
  }
}

/**
 * What a set is compiled from: of each computation the version that holds, and beside it the newest, as preparing, if that is another one.
 * Where none holds yet it is the newest alone.
 */
export function chooseVersions(all: readonly Versions[], coverageOf: CoverageOf): ComputationInput[] {
  const chooser = new Chooser(all, coverageOf);
  return all.flatMap((versions): ComputationInput[] => {
    const [newest] = versions;
    const holding = chooser.choose(versions);
    if (holding === undefined || holding === newest) return [newest];
    return [
      { ...holding, isEarlier: true },
      { ...newest, state: "preparing" },
    ];
  });
}
