// The audiences and computed traits as one partition of profiles has them: what a leaf has counted by now is the partition's own matter.
import {
  type Computation,
  type ComputationInput,
  type ComputationSet,
  type CoverageOf,
  chooseVersions,
  compileSet,
  type FlipContext,
  type LeafUse,
  leafKeysOf,
  withNaming,
} from "#audiences";
import type { AudienceConfig } from "#topics";
import { type Computations, untrackedUnless } from "./computations.ts";

const EVERYTHING_COUNTED: CoverageOf = () => ({ fromOffset: 0, isReady: true });

interface OfPartition {
  readonly coverageOf: CoverageOf;
  /** Whether all profiles were evaluated once: who is found to be a member before that has not entered. */
  isFirstOver(id: string): boolean;
}

/** False when it can do nothing yet. */
type Look = () => boolean;

export class PartitionComputations {
  readonly #shared: Computations;
  readonly #coverageOf: CoverageOf;
  readonly #isFirstOver: OfPartition["isFirstOver"];
  #set: ComputationSet = compileSet([]);
  #version = -1;
  readonly #onCompiled: Look[] = [];
  /** Those that have not seen the set yet. */
  #toLook: readonly Look[] = [];

  constructor(
    shared: Computations,
    { coverageOf = EVERYTHING_COUNTED, isFirstOver = () => true }: Partial<OfPartition> = {},
  ) {
    this.#shared = shared;
    this.#coverageOf = coverageOf;
    this.#isFirstOver = isFirstOver;
  }

  /** Compiled when it is asked for, after whatever has changed. */
  get set(): ComputationSet {
    if (this.#version !== this.#shared.version) {
      this.#version = this.#shared.version;
      const chosen = chooseVersions(this.#shared.versions, this.#coverageOf);
      this.#set = compileSet(
        chosen.map((input) => this.#untracked(input)),
        this.#coverageOf,
      );
      this.#toLook = this.#onCompiled;
    }
    if (this.#toLook.length > 0) this.#show();
    return this.#set;
  }

  #show(): void {
    const looks = this.#toLook;
    // One that looks asks for the set.
    this.#toLook = [];
    this.#toLook = looks.filter((look) => !look());
  }

  /** Without track calls while its first pass over the profiles is not over. */
  #untracked(input: ComputationInput): ComputationInput {
    const { id, sends } = input;
    if (sends === undefined) return input;
    return { ...input, sends: untrackedUnless(this.#isFirstOver(id), sends) };
  }

  /** `look` is called with each other set, before anything is folded by it, and again with each later use of the set until it is true. */
  whenCompiled(look: Look): void {
    this.#onCompiled.push(look);
  }

  /** Another coverage holds. */
  invalidate(): void {
    this.#version = -1;
  }

  /** Another number after each change of what is configured. */
  get version(): number {
    return this.#shared.version;
  }

  get configs(): Iterable<AudienceConfig> {
    return this.#shared.configs;
  }

  readonly computationOf = (id: string): FlipContext["computation"] | undefined =>
    this.#shared.computationOf(id);

  /** The version that is configured, whether it holds or is prepared beside the one that does. */
  newestOf(id: string): Computation | undefined {
    const { beside, computations } = this.set;
    return beside.get(id) ?? computations.get(id);
  }

  /** The computations, and all that name them, through others too: what is to be evaluated when they have changed. */
  dependentsOf(ids: readonly string[]): Computation[] {
    const { computations, naming } = this.set;
    const found = ids.flatMap((id) => computations.get(id) ?? []);
    return [...withNaming(new Set(found), naming)];
  }

  /** Leaves whose change may change one of the computations: found from these, as the set may have ten thousand others. */
  usesOf(computations: readonly Computation[]): LeafUse[] {
    const { leaves } = this.set;
    return [...leafKeysOf(computations)].flatMap((key) => leaves.get(key) ?? []);
  }
}
