import type { Kafka } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import type { TopicMap } from "#topics";
import { Breakers } from "./breakers.ts";

interface OpenParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: Pick<TopicMap, "endpointBreakers">;
}

/** Resolves when all that deliverers have said is known. */
export async function openBreakers(
  { logger, nowMs }: Pick<ServiceContext<unknown>, "logger" | "nowMs">,
  { kafka, serde, topics }: OpenParts,
): Promise<Breakers> {
  const topic = topics.endpointBreakers;
  const breakers = new Breakers();
  const table = kafka.table({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
    keepsValues: false,
    onPoison: ({ key, partition, offset }, error) =>
      logger.error({ err: error, key, partition, offset, topic: topic.name }, "a breaker cannot be read"),
  });
  table.onChange((_, said) => {
    if (said !== undefined) breakers.observe(said, nowMs());
  });
  await table.load();
  return breakers;
}
