import type { Host } from "#host";
import type { TopicPartition } from "#kafka";
import type { Logger } from "#runtime";
import type { WakeCursors } from "./cursors.ts";

const FORGET_EVERY_MS = 15_000;

export interface ForgettingOptions {
  readonly cursors: Pick<WakeCursors, "forget" | "isEmpty">;
  /** Names of the retry topics. */
  readonly topics: readonly string[];
  readonly host: Pick<Host, "delay">;
  readonly logger: Pick<Logger, "warn">;
  /** The partitions that this process reads now. */
  assigned(): readonly TopicPartition[];
  /** The offset at which the group's reading goes on after a crash, by partition. */
  committed(topic: string): Promise<ReadonlyMap<number, number>>;
}

/**
 * Forgets cursors from time to time, until `stopping`. One is needed as long as a reader may come to its jobs once more, which is until
 * the group has committed them; and each is the business of the process that reads its partition.
 */
export async function forgetPassedCursors(options: ForgettingOptions, stopping: AbortSignal): Promise<void> {
  const { cursors, host, logger } = options;
  while (!stopping.aborted) {
    await host.delay(FORGET_EVERY_MS, stopping).catch(() => undefined);
    if (stopping.aborted || cursors.isEmpty) continue;
    try {
      await forgetOnce(options);
    } catch (error) {
      logger.warn({ err: error }, "passed wake cursors could not be removed; it is tried again");
    }
  }
}

async function forgetOnce({ assigned, committed, cursors, topics }: ForgettingOptions): Promise<void> {
  const before = keysOf(assigned());
  const found = await Promise.all(topics.map(async (topic) => [topic, await committed(topic)] as const));
  const commits = new Map(found);
  const now = keysOf(assigned());
  await cursors.forget(({ topic, partition, belowOffset }) => {
    const key = keyOf({ topic, partition });
    const isOurs = before.has(key) && now.has(key);
    return isOurs && (commits.get(topic)?.get(partition) ?? 0) >= belowOffset;
  });
}

function keysOf(partitions: readonly TopicPartition[]): ReadonlySet<string> {
  return new Set(partitions.map(keyOf));
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}:${partition}`;
}
