import type { Kafka } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import { type AuditEntry, KEPT_MS, type TopicMap } from "#topics";
import type { AuditLog } from "./parts.ts";

interface OpenAuditParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
}

type Context = Pick<ServiceContext<unknown>, "lifecycle" | "logger" | "nowMs">;

/** Follows the log in memory; the API does not wait for it. */
export function openAuditLog(
  { lifecycle, logger, nowMs }: Context,
  { kafka, serde, topics }: OpenAuditParts,
): AuditLog {
  const topic = topics.auditLog;
  const table = kafka.table<AuditEntry, Pick<AuditEntry, "id">>({
    topic: topic.name,
    decode: ({ value }) => serde.decode(topic, value),
    onPoison: ({ key, partition, offset }, error) =>
      logger.error(
        { err: error, key, partition, offset, topic: topic.name },
        "an audit entry cannot be read",
      ),
  });
  table.load().catch((error: unknown) => {
    if (!lifecycle.stopping.aborted) lifecycle.fail(error);
  });
  return {
    get isLoaded() {
      return table.loaded;
    },
    list: () =>
      [...table.entries()].map(([, entry]) => entry).filter(({ atMs }) => atMs > nowMs() - KEPT_MS.auditLog),
    refresh: () => table.load(),
  };
}
