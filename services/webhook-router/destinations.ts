import { setTimeout as delay } from "node:timers/promises";
import { watchTable } from "#runtime";
import type { Connection, RouterContext } from "./connection.ts";
import { DestinationIndex } from "./destination-index.ts";

const LOAD_AGAIN_MS = 1000;

/** The live configuration of all destinations. */
export interface Destinations {
  readonly index: DestinationIndex;
  /** Resolves when everything that was written before is in the index; waits while Kafka is away. */
  load(): Promise<void>;
}

export function followDestinations(
  { logger, health, lifecycle, metrics }: RouterContext,
  { kafka, serde, topics }: Connection,
): Destinations {
  const index = new DestinationIndex();
  const table = kafka.table({
    topic: topics.destinationConfig.name,
    decode: ({ value }) => serde.decode(topics.destinationConfig, value ?? Buffer.alloc(0)),
    onPoison: ({ key }, error) =>
      logger.error(
        { destinationId: key, err: error },
        "destination cannot be read; what it was before holds on",
      ),
  });
  watchTable(metrics, "destination-config", table);
  table.onChange((id, config) => index.apply(id, config));
  health.readiness("destinations are loaded", () => table.loaded);
  return {
    index,
    async load() {
      while (!table.loaded) {
        lifecycle.stopping.throwIfAborted();
        await table.load().catch(async (error: unknown) => {
          logger.warn({ err: error }, "destinations cannot be loaded yet");
          await delay(LOAD_AGAIN_MS);
        });
      }
    },
  };
}
