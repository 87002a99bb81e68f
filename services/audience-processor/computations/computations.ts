// The audiences and computed traits of the space, as control has configured them, read.
import {
  type ComputationInput,
  type FlipContext,
  limitHistory,
  parseAudience,
  parseComputedTrait,
  prepareDefinition,
  type Sends,
  type Versions,
} from "#audiences";
import type { AudienceConfig } from "#topics";

type Definition = ComputationInput["definition"];

/** By the very record, or its earlier version: what it says, or why that cannot be read. */
const known = new WeakMap<object, Definition | string>();

/**
 * `of` is the config, or that of its earlier versions which is read. Audiences that it names may come later, so their names are not checked.
 */
function definitionOf(of: object, config: AudienceConfig): Definition | string {
  let definition = known.get(of);
  if (definition === undefined) {
    definition = parse(config);
    known.set(of, definition);
  }
  return definition;
}

function parse(config: AudienceConfig): Definition | string {
  if (config.kind === "list") return { kind: "list" };
  let given: unknown;
  try {
    given = JSON.parse(config.definition ?? "null");
  } catch (error) {
    return String(error);
  }
  const isTrait = config.kind === "trait";
  const reading = isTrait ? parseComputedTrait(given) : parseAudience(given, { audiences: undefined });
  if (!reading.ok) return JSON.stringify(reading.problems);
  const { definition } = reading;
  return definition.kind === "trait" ? definition : limitHistory(definition, config).definition;
}

/** A forgotten one is a list but for this. */
function isOfAccounts(config: AudienceConfig): boolean {
  const definition = definitionOf(config, config.isForgotten ? { ...config, kind: "audience" } : config);
  return typeof definition !== "string" && definition.kind !== "list" && definition.of === "accounts";
}

type Keys = ReadonlySet<string>;

/** With every audience that it names. Control has refused cycles and depth. */
function complete(definition: Definition | string, keys: Keys): Definition | string {
  if (typeof definition === "string" || definition.kind !== "audience") return definition;
  const missing = definition.references.find((key) => !keys.has(key));
  return missing === undefined ? definition : `no audience with the key "${missing}" can be read`;
}

/** Keys of those that can be read, with all that they name. */
function keysOf(configs: readonly AudienceConfig[]): Keys {
  const keys = new Set(configs.map(({ key }) => key));
  for (let before = -1; before !== keys.size; ) {
    before = keys.size;
    for (const config of configs)
      if (typeof complete(definitionOf(config, config), keys) === "string") keys.delete(config.key);
  }
  return keys;
}

const earlierConfig = (
  config: AudienceConfig,
  { definition, generation }: Pick<AudienceConfig["earlier"][number], "definition" | "generation">,
): AudienceConfig => ({ ...config, definition, generation });

/** One that cannot be read any more is left out: then nothing is sent until the new one is prepared. */
function earlierOf(config: AudienceConfig, newest: ComputationInput, keys: Keys): ComputationInput[] {
  return config.earlier.flatMap((earlier) => {
    const definition = complete(definitionOf(earlier, earlierConfig(config, earlier)), keys);
    return typeof definition === "string" ? [] : { ...newest, definition, generation: earlier.generation };
  });
}

/** All that a set needs of it, made now, in the turn of the event loop in which its record came: made of all at once, it would hold the loop. */
function readAhead(config: AudienceConfig): void {
  for (const definition of [
    definitionOf(config, config),
    ...config.earlier.map((earlier) => definitionOf(earlier, earlierConfig(config, earlier))),
  ])
    if (typeof definition !== "string" && definition.kind !== "list") prepareDefinition(definition);
}

/** Once, for nearly all: what sends nothing more than memberships. */
export function sendsOf({
  hasTrackCalls,
  kind,
  sentTraits,
}: Pick<AudienceConfig, "hasTrackCalls" | "kind" | "sentTraits">): Sends | undefined {
  if (kind === "trait" || (!hasTrackCalls && sentTraits.length === 0)) return undefined;
  return { hasTrackCalls, traits: sentTraits };
}

/** Who is found to be a member by the first pass over the profiles has not entered. */
export function untrackedUnless(isFirstOver: boolean, sends: Sends | undefined): Sends | undefined {
  if (sends === undefined || isFirstOver || !sends.hasTrackCalls) return sends;
  return { ...sends, hasTrackCalls: false };
}

/** A definition that cannot be read: nothing is computed by it, and what was sent of it stays as it is. */
export interface LeftOut {
  readonly config: AudienceConfig;
  readonly problem: string;
}

interface Read {
  readonly leftOut: readonly LeftOut[];
  /** Of those that are not deleted. */
  readonly versions: readonly Versions[];
  /** Of deleted ones too: a change of theirs may not be sent yet. */
  readonly identities: ReadonlyMap<string, FlipContext["computation"]>;
}

export class Computations {
  readonly #configs = new Map<string, AudienceConfig>();
  #version = 0;
  #hasAccounts = false;
  #read: Read | undefined;

  /** Another number after each change. */
  get version(): number {
    return this.#version;
  }

  /** Something of accounts was made once. It stays so when that is deleted and forgotten: what is made later knows all since then. */
  get hasAccounts(): boolean {
    return this.#hasAccounts;
  }

  get configs(): Iterable<AudienceConfig> {
    return this.#configs.values();
  }

  /** Put together when they are asked for, after whatever has changed. */
  get versions(): readonly Versions[] {
    return this.#readAll().versions;
  }

  /** Also what names an audience that is not known yet: of two that were made one after the other the later one may be read first. */
  get leftOut(): readonly LeftOut[] {
    return this.#readAll().leftOut;
  }

  /** Whether anything is computed: what is deleted, or cannot be read, is not. */
  get isAny(): boolean {
    return this.versions.length > 0;
  }

  readonly computationOf = (id: string): FlipContext["computation"] | undefined =>
    this.#readAll().identities.get(id);

  /** Reads this one, and no other. */
  apply(id: string, config: AudienceConfig | undefined): void {
    if (config === undefined || config.isForgotten) this.#configs.delete(id);
    else {
      this.#configs.set(id, config);
      readAhead(config);
    }
    if (config !== undefined) this.#hasAccounts ||= isOfAccounts(config);
    this.#version += 1;
    this.#read = undefined;
  }

  #readAll(): Read {
    if (this.#read !== undefined) return this.#read;
    const keys = keysOf([...this.#configs.values()]);
    const leftOut: LeftOut[] = [];
    const versions: Versions[] = [];
    const identities = new Map<string, FlipContext["computation"]>();
    for (const config of this.#configs.values()) {
      const { deletedAtMs, generation, id, includeAnonymous, isPaused, key, kind, name } = config;
      // Also of what cannot be read: a change of it may not be sent yet.
      identities.set(id, { id, key, name, definition: { kind } });
      const definition = complete(definitionOf(config, config), keys);
      if (typeof definition === "string") {
        leftOut.push({ config, problem: definition });
        continue;
      }
      const state = isPaused ? ("paused" as const) : ("live" as const);
      const input = { id, key, generation, includeAnonymous, definition, state, sends: sendsOf(config) };
      if (deletedAtMs === null) versions.push([input, ...earlierOf(config, input, keys)]);
    }
    this.#read = { leftOut, versions, identities };
    return this.#read;
  }
}
