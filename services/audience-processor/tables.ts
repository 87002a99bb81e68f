// What the processor follows: what is configured, how far each partition is with it, how many are in each audience, and which users are deleted.
import type { Table, TableOptions } from "#kafka";
import { watchTables } from "#runtime";
import {
  type AudienceConfig,
  type AudienceProgress,
  type AudienceSize,
  type RecordName,
  type RecordTypes,
  type Regulation,
  type Topic,
  witnessesOf,
} from "#topics";
import type { Parts } from "./parts.ts";

export interface Tables {
  readonly configs: Table<AudienceConfig>;
  readonly progress: Table<AudienceProgress>;
  readonly sizes: Table<AudienceSize>;
  readonly regulations: Table<Regulation>;
}

export function followTables({ context, connection }: Pick<Parts, "context" | "connection">): Tables {
  const { health, logger, metrics } = context;
  const { kafka, serde, topics } = connection;
  const follow = <R extends RecordName>(
    name: string,
    topic: Topic<R>,
    options: Pick<TableOptions<RecordTypes[R]>, "keepsValues" | "witnesses"> = {},
  ): Table<RecordTypes[R]> => {
    const table = kafka.table<RecordTypes[R]>({
      ...options,
      topic: topic.name,
      decode: ({ value }) => serde.decode(topic, value),
      onPoison: ({ key }, error) =>
        logger.error({ key, err: error }, "a record cannot be read; what it was before holds on"),
    });
    health.readiness(`${name} is loaded`, () => table.loaded);
    return table;
  };
  const { audienceConfig, audienceProgress, audienceSizes, regulations } = topics;
  const configs = follow("audience-config", audienceConfig, {
    witnesses: witnessesOf(topics, audienceConfig),
  });
  watchTables(metrics, { "audience-config": configs });
  return {
    configs,
    progress: follow("audience-progress", audienceProgress),
    sizes: follow("audience-sizes", audienceSizes, { keepsValues: false }),
    regulations: follow("regulations", regulations, { keepsValues: false }),
  };
}
