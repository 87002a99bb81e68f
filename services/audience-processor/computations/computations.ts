// The audiences and computed traits of the space, as control has configured them, read.
import {
  type ComputationInput,
  type FlipContext,
  limitHistory,
  parseAudience,
  parseComputedTrait,
  type Versions,
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
  if (!reading.ok) return JSON.stringify(reading.problems);
  const { definition } = reading;
  return definition.kind === "trait" ? definition : limitHistory(definition, config).definition;
}

/** One that cannot be read any more is left out: then nothing is sent until the new one is prepared. */
function earlierOf(
  config: AudienceConfig,
  newest: ComputationInput,
  keys: ReadonlyMap<string, { references: [] }>,
): ComputationInput[] {
  return config.earlier.flatMap(({ definition: text, generation }) => {
    const definition = parse({ ...config, definition: text }, keys);
    return typeof definition === "string" ? [] : { ...newest, definition, generation };
  });
}

interface Read {
  /** Of those that are not deleted. */
  readonly versions: readonly Versions[];
  /** Of deleted ones too: a change of theirs may not be sent yet. */
  readonly identities: ReadonlyMap<string, FlipContext["computation"]>;
}

export class Computations {
  readonly #options: ComputationsOptions;
  readonly #configs = new Map<string, AudienceConfig>();
  #version = 0;
  #read: Read | undefined;

  constructor(options: ComputationsOptions) {
    this.#options = options;
  }

  /** Another number after each change. */
  get version(): number {
    return this.#version;
  }

  get configs(): Iterable<AudienceConfig> {
    return this.#configs.values();
  }

  /** Read when they are asked for, after whatever has changed. */
  get versions(): readonly Versions[] {
    return this.#readAll().versions;
  }

  readonly computationOf = (id: string): FlipContext["computation"] | undefined =>
    this.#readAll().identities.get(id);

  apply(id: string, config: AudienceConfig | undefined): void {
    if (config === undefined) this.#configs.delete(id);
    else this.#configs.set(id, config);
    this.#version += 1;
    this.#read = undefined;
  }

  #readAll(): Read {
    if (this.#read !== undefined) return this.#read;
    const keys = new Map(Array.from(this.#configs.values(), ({ key }) => [key, { references: [] as [] }]));
    const versions: Versions[] = [];
    const identities = new Map<string, FlipContext["computation"]>();
    for (const config of this.#configs.values()) {
      const definition = parse(config, keys);
      if (typeof definition === "string") {
        this.#options.onInvalid(config, definition);
        continue;
      }
      const { deletedAtMs, generation, id, includeAnonymous, isPaused, key } = config;
      const state = isPaused ? ("paused" as const) : ("live" as const);
      const input = { id, key, generation, includeAnonymous, definition, state };
      identities.set(id, input);
      if (deletedAtMs === null) versions.push([input, ...earlierOf(config, input, keys)]);
    }
    this.#read = { versions, identities };
    return this.#read;
  }
}
