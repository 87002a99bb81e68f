// The audiences and computed traits of the space, as control has configured them, compiled.
import {
  type Computation,
  type ComputationInput,
  type ComputationSet,
  compileSet,
  type FlipContext,
  parseAudience,
  parseComputedTrait,
} from "#audiences";
import type { AudienceConfig } from "#topics";

type Definition = ComputationInput["definition"];

export interface ComputationsOptions {
  /** Called with a definition that cannot be read: it is left out, and what was sent of it stays as it is. */
  onInvalid(config: AudienceConfig, problem: string): void;
}

function parse(config: AudienceConfig, keys: ReadonlyMap<string, { references: [] }>): Definition | string {
  if (config.kind === "list") return { kind: "list" };
  let given: unknown;
  try {
    given = JSON.parse(config.definition ?? "null");
  } catch (error) {
    return String(error);
  }
  // Control has refused cycles and depth; here only the names are asked for.
  const reading =
    config.kind === "trait" ? parseComputedTrait(given) : parseAudience(given, { audiences: keys });
  return reading.ok ? reading.definition : JSON.stringify(reading.problems);
}

export class Computations {
  readonly #options: ComputationsOptions;
  readonly #configs = new Map<string, AudienceConfig>();
  /** Of deleted ones too: a change of theirs may not be sent yet. */
  readonly #identities = new Map<string, FlipContext["computation"]>();
  #set: ComputationSet = compileSet([]);
  #isStale = false;

  constructor(options: ComputationsOptions) {
    this.#options = options;
  }

  /** Compiled when it is asked for, after whatever has changed. */
  get set(): ComputationSet {
    if (this.#isStale) this.#compile();
    return this.#set;
  }

  readonly computationOf = (id: string): FlipContext["computation"] | undefined => {
    if (this.#isStale) this.#compile();
    return this.#identities.get(id);
  };

  get configs(): Iterable<AudienceConfig> {
    return this.#configs.values();
  }

  /** The computation, and all that name it, through others too: what is to be evaluated when it has changed. */
  dependentsOf(id: string): Computation[] {
    const { computations } = this.set;
    const found = new Set<Computation>();
    const visit = (one: Computation | undefined): void => {
      if (one === undefined || found.has(one)) return;
      found.add(one);
      for (const other of computations.values())
        if (other.definition.kind === "audience" && other.definition.references.includes(one.key))
          visit(other);
    };
    visit(computations.get(id));
    return [...found];
  }

  apply(id: string, config: AudienceConfig | undefined): void {
    if (config === undefined) this.#configs.delete(id);
    else this.#configs.set(id, config);
    this.#isStale = true;
  }

  #compile(): void {
    this.#isStale = false;
    this.#identities.clear();
    const keys = new Map(Array.from(this.#configs.values(), ({ key }) => [key, { references: [] as [] }]));
    const inputs: ComputationInput[] = [];
    for (const config of this.#configs.values()) {
      const definition = parse(config, keys);
      if (typeof definition === "string") {
        this.#options.onInvalid(config, definition);
        continue;
      }
      const { deletedAtMs, generation, id, includeAnonymous, isPaused, key } = config;
      const input = { id, key, generation, includeAnonymous, definition };
      this.#identities.set(id, input);
      if (deletedAtMs === null) inputs.push({ ...input, state: isPaused ? "paused" : "live" });
    }
    this.#set = compileSet(inputs);
  }
}
