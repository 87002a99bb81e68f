import type { TopicPartition } from "#kafka";
import { type Brokers, NO_LEADER } from "./brokers.ts";
import type { Connection } from "./connection.ts";
import { ClusterError } from "./errors.ts";

/** What one client knows of topics and leaders: as old as its last question. */
export class ClientMetadata {
  readonly #connection: Connection;
  readonly #topics = new Set<string>();
  #leaders: ReadonlyMap<string, readonly number[]> = new Map();
  #ids: readonly number[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Ids of the brokers. */
  get ids(): readonly number[] {
    return this.#ids;
  }

  /** Of each topic by partition. Replaced with every answer. */
  get leaders(): ReadonlyMap<string, readonly number[]> {
    return this.#leaders;
  }

  /** Asks again for everything that was ever asked for. Rejects when a topic is not there. */
  async refresh(): Promise<void> {
    const broker = this.#connection.anyBroker();
    const { leaders, ids } = await this.#connection.call({ api: "metadata", broker }, (reached) => {
      if (reached.kind === "refuse") throw ClusterError.refused(reached.error);
      return this.#answer(this.#connection.brokers);
    });
    this.#leaders = leaders;
    this.#ids = ids;
  }

  async add(topics: readonly string[]): Promise<void> {
    const missing = topics.filter((topic) => !this.#leaders.has(topic));
    for (const topic of missing) this.#topics.add(topic);
    if (missing.length === 0) return;
    try {
      await this.refresh();
    } catch (thrown) {
      for (const topic of missing) this.#topics.delete(topic);
      throw thrown;
    }
  }

  /** By partition. */
  leadersOf(topic: string): readonly number[] {
    return this.#leaders.get(topic) ?? [];
  }

  leader({ topic, partition }: TopicPartition): number {
    return this.#leaders.get(topic)?.[partition] ?? NO_LEADER;
  }

  #answer(brokers: Brokers): { leaders: Map<string, readonly number[]>; ids: readonly number[] } {
    const leaders = new Map<string, readonly number[]>();
    for (const topic of this.#topics) {
      leaders.set(
        topic,
        brokers.topic(topic).partitions.map(({ leader }) => leader),
      );
    }
    return { leaders, ids: brokers.ids };
  }
}
