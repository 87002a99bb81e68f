import { SPACE_SOURCE } from "#contract";
import type { Kafka } from "#kafka";
import { failUnlessStopping, type ServiceContext } from "#runtime";
import { suppressionKey, type TopicMap, userHash, witnessesOf } from "#topics";
import { followBegun } from "./begun.ts";

/** Of whom audiences say nothing new. */
export interface Suppressed {
  /** Resolves when what was written before the call is known; waits while Kafka is away. */
  refresh(): Promise<void>;
  /** Rejects with a KafkaError while the topic has lost its records, or Kafka is away. */
  look(): Promise<void>;
  /** In the workspace, or in the source of audiences. */
  isSuppressed(userId: string): boolean;
}

const DELIVERY_TIMEOUT_MS = 30_000;

/** Follows the suppressions; the API does not wait for it. */
export function openSuppressed(
  { health, lifecycle, logger }: Pick<ServiceContext<unknown>, "health" | "lifecycle" | "logger">,
  { kafka, topics }: { readonly kafka: Kafka; readonly topics: TopicMap },
): Suppressed {
  const topic = topics.suppressions.name;
  const witnesses = witnessesOf(topics, topics.suppressions);
  const table = kafka.table<true>({ topic, witnesses, decode: () => true });
  const producer = kafka.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  followBegun({ topic: topics.suppressionsBegun, table, admin: kafka.admin(), producer, logger });
  health.readiness("suppressions are read", () => table.loaded);
  table.load().catch(failUnlessStopping(lifecycle));
  return {
    refresh: () => table.load(),
    look: () => table.look(),
    isSuppressed(userId) {
      if (table.size === 0) return false;
      const hashed = userHash(userId);
      return [null, SPACE_SOURCE].some((scope) => table.get(suppressionKey(scope, hashed)) !== undefined);
    },
  };
}
