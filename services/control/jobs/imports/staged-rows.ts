// The rows of uploads in their topic, all of one upload in one partition and in their order.
import { type Admin, type Kafka, type Producer, partitionOfKey, type RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { Topic } from "#topics";
import type { DifferenceParts } from "./differences.ts";

/** Retention has removed some of the rows: what is left is not what was uploaded. */
export class RowsExpiredError extends Error {
  override readonly name = "RowsExpiredError";
}

export interface StagedRowsParts {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly admin: Pick<Admin, "offsets">;
  readonly producer: Pick<Producer, "send">;
  readonly serde: Pick<Serde, "encode" | "decode">;
  readonly topic: Topic<"membership-import-rows">;
}

/** The rows of one upload, while they come. */
interface RowsWriter {
  /** Resolves when they are on all in-sync replicas. Rejects with a KafkaError. */
  write(userIds: string[]): Promise<void>;
  /** Between which offsets all of them are; after the last `write`. */
  range(): Promise<{ readonly fromOffset: number; readonly toOffset: number }>;
}

export interface StagedRows {
  begin(key: string, uploadId: string): Promise<RowsWriter>;
  readonly eachChunk: DifferenceParts["eachChunk"];
}

export function createStagedRows({ admin, kafka, producer, serde, topic }: StagedRowsParts): StagedRows {
  const bounds = async (key: string) => {
    const all = await admin.offsets(topic.name);
    const partition = partitionOfKey(key, all.length);
    const high = all.find((one) => one.partition === partition)?.high ?? 0;
    return { partition, high };
  };
  return {
    async begin(key, uploadId) {
      const { high: fromOffset } = await bounds(key);
      let rows = 0;
      return {
        async write(userIds) {
          const value = serde.encode(topic, { uploadId, userIds, firstRow: rows });
          rows += userIds.length;
          await producer.send([{ topic: topic.name, key, value }]);
        },
        range: async () => ({ fromOffset, toOffset: (await bounds(key)).high }),
      };
    },
    async eachChunk(one, take, signal) {
      const { fromOffset, id, rows, toOffset, uploadId } = one;
      if (rows === 0) return;
      let [found, reached] = [0, 0];
      const { partition } = await bounds(id);
      const onRecord = async ({ key, value }: RawRecord): Promise<void> => {
        if (key !== id || value === null) return;
        const chunk = await serde.decode(topic, value);
        const { firstRow, userIds } = chunk;
        // One whose acknowledgement was lost was written once more.
        if (chunk.uploadId !== uploadId || (firstRow !== null && firstRow < reached)) return;
        reached = (firstRow ?? reached) + userIds.length;
        found += userIds.length;
        await take(userIds);
      };
      await kafka.readRange({ topic: topic.name, partition, fromOffset, toOffset, onRecord, signal });
      if (found !== rows)
        throw new RowsExpiredError(`only ${found} of the ${rows} rows are still kept: upload them again`);
    },
  };
}
