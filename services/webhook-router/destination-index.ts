import type { DestinationConfig } from "#topics";

const NONE: readonly DestinationConfig[] = [];

/** Enabled destinations by source, kept up to date change by change: a call finds its destinations with one lookup. */
export class DestinationIndex {
  readonly #byId = new Map<string, DestinationConfig>();
  readonly #bySource = new Map<string, readonly DestinationConfig[]>();

  /** The enabled destinations of a source, in the order in which they were connected. */
  of(sourceId: string): readonly DestinationConfig[] {
    return this.#bySource.get(sourceId) ?? NONE;
  }

  /** `config` is what the destination is from now on; undefined when it is deleted. */
  apply(id: string, config: DestinationConfig | undefined): void {
    const before = this.#byId.get(id);
    const sources = new Set([...(before?.sourceIds ?? []), ...(config?.sourceIds ?? [])]);
    if (config === undefined) this.#byId.delete(id);
    else this.#byId.set(id, config);
    for (const sourceId of sources) this.#connect(sourceId, id, config);
  }

  #connect(sourceId: string, id: string, config: DestinationConfig | undefined): void {
    const others = this.of(sourceId).filter((destination) => destination.id !== id);
    const isConnected = config?.enabled === true && config.sourceIds.includes(sourceId);
    const connected = isConnected ? [...others, config] : others;
    if (connected.length === 0) this.#bySource.delete(sourceId);
    else this.#bySource.set(sourceId, connected);
  }
}
