import { SPACE_SOURCE } from "#contract";
import type { Kafka } from "#kafka";
import type { ServiceContext } from "#runtime";
import { suppressionKey, type TopicMap, userHash } from "#topics";

/** Of whom audiences say nothing new. */
export interface Suppressed {
  /** Resolves when what was written before the call is known; waits while Kafka is away. */
  refresh(): Promise<void>;
  /** In the workspace, or in the source of audiences. */
  isSuppressed(userId: string): boolean;
}

/** Follows the suppressions; the API does not wait for it. */
export function openSuppressed(
  { health, lifecycle }: Pick<ServiceContext<unknown>, "health" | "lifecycle">,
  { kafka, topics }: { readonly kafka: Kafka; readonly topics: Pick<TopicMap, "suppressions"> },
): Suppressed {
  const table = kafka.table<true>({ topic: topics.suppressions.name, decode: () => true });
  health.readiness("suppressions are read", () => table.loaded);
  table.load().catch((error: unknown) => {
    if (!lifecycle.stopping.aborted) lifecycle.fail(error);
  });
  return {
    refresh: () => table.load(),
    isSuppressed(userId) {
      if (table.size === 0) return false;
      const hashed = userHash(userId);
      return [null, SPACE_SOURCE].some((scope) => table.get(suppressionKey(scope, hashed)) !== undefined);
    },
  };
}
