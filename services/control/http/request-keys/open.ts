import type { Kafka, Producer } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { SecretBox } from "#secrets";
import type { Serde } from "#serde";
import type { RequestKey, TopicMap } from "#topics";
import type { RequestKeyParts } from "./hooks.ts";
import { RequestKeys } from "./request-keys.ts";
import { createKeyObserver } from "./telemetry.ts";

interface OpenKeysParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly producer: Producer;
  readonly secrets: SecretBox;
}

/** They work with the audit log too, which is opened after them. */
export type OpenedKeys = Omit<RequestKeyParts["requestKeys"], "auditLog">;

type Context = Pick<ServiceContext<unknown>, "host" | "logger" | "metrics" | "nowMs">;

/** Resolves when the keys that other processes have taken are known. */
export async function openRequestKeys(
  { host, logger, metrics, nowMs }: Context,
  { kafka, serde, topics, producer, secrets }: OpenKeysParts,
): Promise<OpenedKeys> {
  const topic = topics.requestKeys;
  const keys = new RequestKeys();
  const table = kafka.table<RequestKey>({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
    keepsValues: false,
    onPoison: ({ key, partition, offset }, error) =>
      logger.error({ err: error, key, partition, offset, topic: topic.name }, "a request key cannot be read"),
  });
  table.onChange((_, record) => {
    if (record !== undefined) keys.observe(record);
  });
  await table.load();
  // Kafka may keep records for longer than they count.
  keys.forget(nowMs());
  const observer = createKeyObserver(metrics, () => keys.size);
  return { keys, topic, table, producer, serde, secrets, host, nowMs, observer, logger };
}
