import { type Connection as Connected, connectService, type Ways } from "#connection";
import type { ServiceContext, SettingsOf } from "#runtime";
import { consumerGroups, leftoverRetryTopics, type RetryTopic } from "#topics";
import type { settings } from "./config.ts";

export type DelivererContext = ServiceContext<SettingsOf<typeof settings>>;

export interface Connection extends Connected {
  readonly groupId: string;
}

/** The topics in which jobs wait that this process reads: those of the configured delays, and leftovers of others. */
export interface Reading extends Connection {
  /** Shortest delay first. */
  readonly retryTopics: readonly RetryTopic[];
}

const LOOK_AGAIN_MS = 1_000;

/** Waits for Kafka. Jobs that wait in a topic whose delay was taken out of the configuration would never come out of it otherwise. */
export async function findRetryTopics(
  { host, lifecycle, logger, settings: own }: DelivererContext,
  connection: Connection,
): Promise<Reading> {
  const admin = connection.kafka.admin();
  for (;;) {
    try {
      const leftovers = leftoverRetryTopics(own.topics, await admin.topicNames());
      for (const { name } of leftovers)
        logger.warn(
          { topic: name },
          "a retry topic remains of a delay that is no longer configured; it is still read",
        );
      const all = [...connection.topics.deliveryRetries, ...leftovers];
      return { ...connection, retryTopics: all.toSorted((a, b) => a.delayMs - b.delayMs) };
    } catch (error) {
      logger.debug({ err: error }, "the topics cannot be listed yet");
    }
    await host.delay(LOOK_AGAIN_MS, lifecycle.stopping);
  }
}

export function connect(context: DelivererContext, ways: Ways): Connection {
  const connected = connectService(
    context,
    (topics) => [
      topics.destinationConfig,
      topics.deliveryJobs,
      ...topics.deliveryRetries,
      topics.deadLetters,
      topics.deliveryAttempts,
      topics.deliveryTotals,
      topics.deliveryWakes,
      topics.retryRequests,
      topics.endpointBreakers,
    ],
    ways,
  );
  return { ...connected, groupId: consumerGroups(context.settings.topics.prefix).deliverer.id };
}
