import type { DestinationConfig } from "#topics";

const NONE: readonly string[] = [];

/** The settings of a destination that decide which calls it gets. */
type Connections = Pick<DestinationConfig, "enabled" | "sourceIds">;

/**
 * Enabled destinations by source, kept up to date change by change: a call finds its destinations with one lookup. It holds no more
 * than their ids, because there may be a million; most sources have one, which takes no list.
 */
export class DestinationIndex {
  readonly #configOf: (id: string) => DestinationConfig | undefined;
  readonly #idsBySource = new Map<string, string | readonly string[]>();

  constructor(configOf: (id: string) => DestinationConfig | undefined) {
    this.#configOf = configOf;
  }

  /** The enabled destinations of a source, in the order in which they were connected. */
  of(sourceId: string): readonly DestinationConfig[] {
    const found: DestinationConfig[] = [];
    for (const id of this.#idsOf(sourceId)) {
      const config = this.#configOf(id);
      if (config !== undefined) found.push(config);
    }
    return found;
  }

  /** `config` is what the destination is from now on; undefined when it is deleted, or was not there before. */
  apply(id: string, config: Connections | undefined, before: Connections | undefined): void {
    const sourceIds = config?.sourceIds ?? NONE;
    for (const sourceId of sourceIds) this.#connect(sourceId, id, config);
    for (const sourceId of before?.sourceIds ?? NONE) {
      if (!sourceIds.includes(sourceId)) this.#connect(sourceId, id, config);
    }
  }

  #idsOf(sourceId: string): readonly string[] {
    const ids = this.#idsBySource.get(sourceId) ?? NONE;
    return typeof ids === "string" ? [ids] : ids;
  }

  #connect(sourceId: string, id: string, config: Connections | undefined): void {
    const isConnected = config?.enabled === true && config.sourceIds.includes(sourceId);
    const ids = this.#idsBySource.get(sourceId);
    if (ids === undefined) {
      if (isConnected) this.#idsBySource.set(sourceId, id);
      return;
    }
    const others = this.#idsOf(sourceId).filter((other) => other !== id);
    const [first, ...more] = isConnected ? [...others, id] : others;
    if (first === undefined) this.#idsBySource.delete(sourceId);
    else this.#idsBySource.set(sourceId, more.length === 0 ? first : [first, ...more]);
  }
}
