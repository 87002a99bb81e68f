import type { Kafka } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Serde } from "#serde";
import { type AuditEntry, KEPT_MS, type TopicMap } from "#topics";
import type { AuditLog, AuditNote } from "../http/audit/parts.ts";
import { createPlaceReader } from "./places/place-reader.ts";
import { placeOf } from "./places/places.ts";

interface OpenAuditParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
}

type Context = Pick<ServiceContext<unknown>, "lifecycle" | "logger" | "nowMs">;

/** Notes what is in the log; the API does not wait for it. */
export function openAuditLog(
  { lifecycle, logger, nowMs }: Context,
  { kafka, serde, topics }: OpenAuditParts,
): AuditLog {
  const topic = topics.auditLog;
  const notes = new Map<string, AuditNote>();
  const reader = createPlaceReader({ kafka, serde, topic });
  const table = kafka.table<AuditNote>({
    topic: topic.name,
    decode: async (record) => noteOf(await serde.decode(topic, record.value), placeOf(record)),
    keepsValues: false,
    onPoison: ({ key, partition, offset }, error) =>
      logger.error(
        { err: error, key, partition, offset, topic: topic.name },
        "an audit entry cannot be read",
      ),
  });
  table.onChange((id, note) => {
    if (note !== undefined) notes.set(id, note);
  });
  table.load().catch((error: unknown) => {
    if (!lifecycle.stopping.aborted) lifecycle.fail(error);
  });
  return {
    get isLoaded() {
      return table.loaded;
    },
    list() {
      const fromMs = nowMs() - KEPT_MS.auditLog;
      for (const [id, { atMs }] of notes) if (atMs <= fromMs) notes.delete(id);
      return [...notes.values()];
    },
    async read(wanted, signal) {
      const places = wanted.map(({ place }) => place).sort((one, other) => one - other);
      const entries = await reader.read(places, signal);
      return new Map(Array.from(entries.values(), (entry) => [entry.id, entry]));
    },
    refresh: () => table.load(),
  };
}

function noteOf({ before, after, ...entry }: AuditEntry, place: number): AuditNote {
  return { ...entry, place, size: (before?.length ?? 0) + (after?.length ?? 0) };
}
