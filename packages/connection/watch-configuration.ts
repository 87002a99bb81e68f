import { type KafkaError, SeenLog } from "#kafka";
import type { ServiceContext } from "#runtime";
import type { ConfigurationTopic } from "#topics";
import type { Connection } from "./connect-service.ts";

const LOOK_EVERY_MS = 10_000;

type WatchContext = Pick<ServiceContext<unknown>, "host" | "lifecycle" | "logger" | "metrics">;

/**
 * Says in log and metrics that a configuration topic was deleted, has lost records, or is half restored as tables of the process see it. The process itself goes on with what it has read: its tables
 * keep that, and one that starts waits (decision 118).
 */
export function watchConfiguration(
  { host, lifecycle, logger, metrics }: WatchContext,
  { kafka }: Pick<Connection, "kafka">,
  topics: readonly ConfigurationTopic[],
): void {
  const admin = kafka.admin();
  const watched = topics.map((each) => ({ ...each, memory: new SeenLog() }));
  const lost = new Set<string>();
  metrics.gauge({
    name: "configuration_lost",
    help: "1 while a configuration topic is gone, has lost records, or is half restored.",
    labels: { topic: topics.map(({ topic }) => topic.record) },
    collect(gauge) {
      for (const { topic } of watched) gauge.set({ topic: topic.record }, lost.has(topic.record) ? 1 : 0);
    },
  });

  async function look({ topic, witnesses, memory }: (typeof watched)[number]): Promise<void> {
    const { name, record } = topic;
    try {
      await admin.holdsRecords({ topic: name, witnesses: witnesses.map((witness) => witness.name), memory });
      if (lost.delete(record)) logger.info({ topic: name }, "a configuration topic holds records again");
    } catch (error) {
      if ((error as KafkaError).code !== "records_lost") {
        logger.debug({ topic: name, err: error }, "a configuration topic could not be looked at");
        return;
      }
      if (!lost.has(record))
        logger.error(
          { topic: name, err: error },
          "a configuration topic has lost records or is half restored: restore it",
        );
      lost.add(record);
    }
  }

  let isLooking = false;
  async function lookAtAll(): Promise<void> {
    isLooking = true;
    // At once: together they are one request.
    await Promise.all(watched.map(look));
    isLooking = false;
  }
  const timer = host.setInterval(() => {
    if (isLooking) return;
    void lookAtAll();
  }, LOOK_EVERY_MS);
  lifecycle.onStop("configuration watch", () => timer.clear());
}
