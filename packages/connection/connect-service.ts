import type { Kafka, KafkaSettings } from "#kafka";
import type { Lifecycle, ServiceContext } from "#runtime";
import { type Topic, type TopicMap, type TopicMapOptions, topicMap } from "#topics";
import { connect, type KafkaAndSerde, type Ways } from "./connect.ts";
import { watchRequests } from "./watch-requests.ts";

/** A service's way to Kafka, and the topics of its deployment. */
export interface Connection extends KafkaAndSerde {
  readonly topics: TopicMap;
}

interface ConnectionSettings {
  readonly kafka: KafkaSettings;
  readonly registry: { readonly registryUrl: string };
  readonly topics: TopicMapOptions;
}

/**
 * The connection of a service: nothing connects before it is used, and it is closed after everything that the service registers
 * with its lifecycle later. `topicsOf` names the topics that the service writes or reads.
 */
export function connectService(
  { settings, logger, lifecycle, metrics, host }: ServiceContext<ConnectionSettings>,
  topicsOf: (topics: TopicMap) => readonly Topic[],
  ways?: Ways,
): Connection {
  const topics = topicMap(settings.topics);
  const { kafka, serde } = connect(
    {
      kafka: settings.kafka,
      registryUrl: settings.registry.registryUrl,
      topics: topicsOf(topics),
      onUnavailable: ({ message }) => logger.warn({ problem: message }, "waiting for the schema registry"),
      logger: logger.child("kafka"),
      host,
    },
    ways,
  );
  watchRequests(metrics, topics);
  lifecycle.onStop("kafka", () => kafka.close());
  lifecycle.onStop("serde", () => serde.close());
  return { topics, kafka: endedByTables(kafka, lifecycle), serde };
}

/** A table that will never follow again ends the process: what it says grows old, and nobody would see it. */
function endedByTables(kafka: Kafka, lifecycle: Pick<Lifecycle, "fail">): Kafka {
  return {
    ...kafka,
    table(options) {
      const table = kafka.table(options);
      table.failed.catch((error: unknown) => lifecycle.fail(error));
      return table;
    },
  };
}
