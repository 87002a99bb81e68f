import { filterFrom } from "#audiences";
import { watchTables } from "#runtime";
import { witnessesOf } from "#topics";
import type { Connection, RouterContext } from "./connection.ts";
import { DestinationIndex, ROUTED_FIELDS, type RoutedDestination } from "./destination-index.ts";

/** The live configuration of all destinations. */
export interface Destinations {
  readonly index: DestinationIndex;
  /** Resolves when everything that was written before is in the index; waits while Kafka is away, until the end. */
  load(): Promise<void>;
}

/** A filter of a later version than ours is no reason that calls fail: its destination stays what it was. */
function checked(config: RoutedDestination): RoutedDestination {
  if (config.filter !== null) filterFrom(config.filter);
  return config;
}

export function followDestinations(
  { logger, health, metrics }: RouterContext,
  { kafka, serde, topics }: Connection,
): Destinations {
  const routed = serde.excerpts(topics.destinationConfig, ROUTED_FIELDS);
  const index = new DestinationIndex((id, kept) => ({ id, ...routed.read(kept) }));
  const table = kafka.table({
    topic: topics.destinationConfig.name,
    witnesses: witnessesOf(topics, topics.destinationConfig),
    excerpt: ({ value }) => routed.cut(value),
    decode: ({ key, value }) => checked({ id: key ?? "", ...routed.read(value) }),
    values: index,
    onPoison: ({ key }, error) =>
      logger.error(
        { destinationId: key, err: error },
        "destination cannot be read; its last readable version applies",
      ),
  });
  watchTables(metrics, { "destination-config": table });
  health.readiness("destinations are loaded", () => table.loaded);
  return {
    index,
    load: () => table.load(),
  };
}
