import type { Kafka, Producer } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import type { EditLock, TopicMap } from "#topics";
import { EditLocks } from "./edit-locks.ts";
import type { LockParts } from "./edited-store.ts";

interface OpenLocksParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly producer: Producer;
}

/** Resolves when the locks of other processes are known. */
export async function openEditLocks(
  { host, logger, nowMs }: Pick<ServiceContext<unknown>, "host" | "logger" | "nowMs">,
  { kafka, serde, topics, producer }: OpenLocksParts,
): Promise<LockParts> {
  const topic = topics.editLocks;
  const locks = new EditLocks();
  const table = kafka.table<EditLock>({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
    onPoison: ({ key, partition, offset }, error) =>
      logger.error({ err: error, key, partition, offset, topic: topic.name }, "an edit lock cannot be read"),
  });
  table.onChange((_, lock) => {
    if (lock !== undefined) locks.observe(lock);
  });
  await table.load();
  let number = 0;
  const nextNumber = () => ++number;
  return { locks, topic, table, producer, serde, holder: host.uuid(), nextNumber, host, nowMs };
}
