// The pass over unused anonymous ids of one partition, wired.
import type { Parts } from "./parts.ts";
import { ExpiryPass, type ExpiryPassParts } from "./profiles/expiry-pass.ts";

export function expiryOf(
  { connection, context }: Parts,
  {
    partition,
    ...ofPartition
  }: Pick<ExpiryPassParts, "worker" | "computations" | "telemetry"> & { partition: number },
): ExpiryPass {
  const { kafka, profilesGroup, topics } = connection;
  const admin = kafka.admin();
  const { name } = topics.profileEvents;
  return new ExpiryPass({
    ...ofPartition,
    retentionMs: context.settings.audiences.anonymousRetentionMs,
    host: context.host,
    async bounds() {
      const [committed, all] = await Promise.all([
        admin.committedOffsets(profilesGroup, name),
        admin.offsets(name),
      ]);
      const log = all.find((one) => one.partition === partition);
      return { committedTo: committed.get(partition) ?? 0, logStart: log?.low ?? 0 };
    },
    onError: (error) =>
      context.logger.debug({ partition, err: error }, "the pass over unused anonymous ids begins later"),
  });
}
