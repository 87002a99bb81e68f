import { type Registry, RegistryUnavailableError } from "#serde";
import type { VirtualHost } from "./host/virtual-host.ts";
import type { Random } from "./random.ts";

type RawSchema = Parameters<Registry["idOf"]>[1];

const ANSWER_MS = { from: 1, to: 20 };
const REFUSED_MS = 3;

/** A schema registry that has every schema: provisioning is through. */
export class SimulatedRegistry {
  isAway = false;
  readonly #random: Random;
  readonly #ids = new Map<string, number>();
  readonly #schemas = new Map<number, RawSchema>();

  constructor(random: Random) {
    this.#random = random;
  }

  /** The way of one process to it. */
  forProcess(host: VirtualHost): Registry {
    return {
      idOf: (subject, schema) => this.#answer(host, () => this.#idOf(subject, schema)),
      register: (subject, schema) => this.#answer(host, () => this.#idOf(subject, schema)),
      requireBackwardCompatibility: () => this.#answer(host, () => undefined),
      schemaOf: (id) => this.#answer(host, () => this.#schemaOf(id)),
    };
  }

  /** For who looks at a world that has ended. */
  forReader(): Registry {
    return {
      idOf: async (subject, schema) => this.#idOf(subject, schema),
      register: async (subject, schema) => this.#idOf(subject, schema),
      requireBackwardCompatibility: async () => undefined,
      schemaOf: async (id) => this.#schemaOf(id),
    };
  }

  async #answer<R>(host: VirtualHost, look: () => R): Promise<R> {
    if (this.isAway) {
      await host.delay(REFUSED_MS);
      throw new RegistryUnavailableError("the simulated registry is away");
    }
    await host.delay(this.#random.between(ANSWER_MS.from, ANSWER_MS.to));
    return look();
  }

  #idOf(subject: string, schema: RawSchema): number {
    const known = this.#ids.get(subject);
    if (known !== undefined) return known;
    const id = this.#ids.size + 1;
    this.#ids.set(subject, id);
    this.#schemas.set(id, schema);
    return id;
  }

  #schemaOf(id: number): RawSchema {
    const schema = this.#schemas.get(id);
    if (schema === undefined) throw new RegistryUnavailableError(`nobody has asked for schema ${id} yet`);
    return schema;
  }
}
