import type { Host } from "#host";
import type { AdminClient } from "../admin/admin-client.ts";
import { NO_LEADER } from "../cluster.ts";
import { KafkaError } from "../errors.ts";
import type { TopicPartition } from "../types.ts";

/** The age until which a partition count or a leader is believed, as in the Java client. */
const MAX_AGE_MS = 300_000;

interface TopicMetadata {
  /** In the host's elapsed ms: somebody may set the clock. */
  readonly fetchedAtMs: number;
  /** Leader's broker id by partition. */
  readonly leaders: readonly number[];
}

/** Partition counts and leaders of the topics written to. */
export class MetadataCache {
  readonly #admin: AdminClient;
  readonly #host: Pick<Host, "elapsed">;
  readonly #topics = new Map<string, TopicMetadata>();
  readonly #fetching = new Map<string, Promise<void>>();

  constructor(admin: AdminClient, host: Pick<Host, "elapsed">) {
    this.#admin = admin;
    this.#host = host;
  }

  /** Undefined before the first fetch. */
  partitionCount(topic: string): number | undefined {
    return this.#topics.get(topic)?.leaders.length;
  }

  /** Leader's broker id as last seen, -1 when there is none. An old answer is renewed in the background. */
  leader({ topic, partition }: TopicPartition): number {
    const metadata = this.#topics.get(topic);
    if (metadata === undefined) return NO_LEADER;
    if (this.#host.elapsed() - metadata.fetchedAtMs > MAX_AGE_MS) this.renew(topic);
    return metadata.leaders[partition] ?? NO_LEADER;
  }

  /** Fetches again without anybody waiting; the old answer stays until the new one is there. */
  renew(topic: string): void {
    this.fetch(topic).catch(() => undefined);
  }

  /** One fetch per topic at a time. Rejects with a KafkaError. */
  async fetch(topic: string): Promise<void> {
    const running = this.#fetching.get(topic);
    if (running !== undefined) return running;
    const fetching = this.#fetch(topic).finally(() => this.#fetching.delete(topic));
    this.#fetching.set(topic, fetching);
    return fetching;
  }

  async #fetch(topic: string): Promise<void> {
    const shapes = await this.#admin.run((admin) => admin.shapes([topic]), 1);
    const leaders = shapes.get(topic)?.leaders ?? [];
    if (leaders.length === 0) {
      throw new KafkaError("unknown_topic", `topic ${topic} has no partitions`, { canRetry: true });
    }
    this.#topics.set(topic, { fetchedAtMs: this.#host.elapsed(), leaders });
  }
}
