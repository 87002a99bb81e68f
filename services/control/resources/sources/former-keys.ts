// When calls came last with write keys that another one replaces, as ingest says it.
import type { Kafka } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import { type FormerKeyUse, formerKeyUseKey, type TopicMap } from "#topics";

export interface FormerKeys {
  /** Undefined where no call is known. */
  lastUse(sourceId: string, writeKey: string): FormerKeyUse | undefined;
}

interface OpenParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: Pick<TopicMap, "formerKeyUses">;
}

/** Resolves when all that ingest has said is known. */
export async function openFormerKeys(
  { logger }: Pick<ServiceContext<unknown>, "logger">,
  { kafka, serde, topics }: OpenParts,
): Promise<FormerKeys> {
  const topic = topics.formerKeyUses;
  const table = kafka.table({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
    onPoison: ({ offset, partition }, error) =>
      logger.error(
        { err: error, partition, offset, topic: topic.name },
        "the use of a former key cannot be read",
      ),
  });
  await table.load();
  return { lastUse: (sourceId, writeKey) => table.get(formerKeyUseKey({ sourceId, writeKey })) };
}
