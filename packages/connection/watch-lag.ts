import type { TopicPartition } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { Connection } from "./connect-service.ts";

const LOOK_EVERY_MS = 15_000;

export interface WatchedLag {
  readonly groupId: string;
  readonly topics: readonly string[];
  /** Whether the partition counts; each does unless given. */
  counts?(partition: TopicPartition): boolean;
}

export interface LagWatch {
  /** Records that the group had not committed at the last look that succeeded. */
  readonly records: number;
}

/** Asks from time to time how far a group is behind: Kafka knows it, and a count of our own would be lost with the process. */
export function watchLag(
  { host, lifecycle, logger }: Pick<ServiceContext<unknown>, "host" | "lifecycle" | "logger">,
  { kafka }: Pick<Connection, "kafka">,
  { groupId, topics, counts = () => true }: WatchedLag,
): LagWatch {
  const admin = kafka.admin();
  let records = 0;

  async function lagOf(topic: string): Promise<number> {
    const lags = await admin.consumerLag(groupId, topic);
    return lags.reduce((sum, { partition, lag }) => sum + (counts({ topic, partition }) ? lag : 0), 0);
  }

  async function look(): Promise<void> {
    const lags = await Promise.all(topics.map(lagOf));
    records = lags.reduce((sum, lag) => sum + lag, 0);
  }

  const timer = host.setInterval(() => {
    look().catch((error: unknown) => logger.debug({ err: error, groupId }, "lag could not be looked at"));
  }, LOOK_EVERY_MS);
  lifecycle.onStop("lag watch", () => timer.clear());
  return {
    get records() {
      return records;
    },
  };
}
