// The source-config topic as a lookup, loaded before the service is ready.
import { setTimeout as delay } from "node:timers/promises";
import { KafkaError, type Table } from "#kafka";
import type { Logger } from "#runtime";
import type { SourceConfig } from "#topics";

const RETRY_MS = 1_000;

export interface LoadOptions {
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

/** Loads the table, however long Kafka takes to be there; gives up only for what no waiting heals, or at the end. */
export async function loadSources(
  table: Table<SourceConfig>,
  { logger, stopping }: LoadOptions,
): Promise<void> {
  while (!stopping.aborted && !table.loaded) {
    try {
      await table.load();
    } catch (error) {
      if (!(error instanceof KafkaError) || !error.canRetry) throw error;
      logger.warn({ problem: error.message }, "sources cannot be loaded yet");
      await delay(RETRY_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}
