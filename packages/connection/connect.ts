import type { Host } from "#host";
import { createKafka, type Kafka, type KafkaLogger, type KafkaSettings } from "#kafka";
import { createSerde, type Serde, type SerdeOptions } from "#serde";
import type { Topic } from "#topics";

/** The ways in which a process reaches other systems: the real ones, or those into a simulated world. */
export interface Ways {
  readonly createKafka: typeof createKafka;
  readonly createSerde: typeof createSerde;
}

export const REAL_WAYS: Ways = { createKafka, createSerde };

/** Kafka, and its records as values. */
export interface KafkaAndSerde {
  readonly kafka: Kafka;
  readonly serde: Serde;
}

export interface ConnectOptions {
  readonly kafka: KafkaSettings;
  /** Base URL of the registry's Confluent-compatible API. */
  readonly registryUrl: string;
  /** The topics that are written or read through the serde. */
  readonly topics: readonly Topic[];
  readonly onUnavailable?: SerdeOptions["onUnavailable"];
  readonly logger?: KafkaLogger;
  /** Time and chance; the machine's own unless given. */
  readonly host?: Host;
}

/** Connects to nothing before it is used. Records can be encoded once `serde.start()` has resolved. */
export function connect(
  { kafka: settings, registryUrl, topics, onUnavailable, logger, host }: ConnectOptions,
  ways: Ways = REAL_WAYS,
): KafkaAndSerde & { close(): Promise<void> } {
  const time = host === undefined ? {} : { host };
  const kafka = ways.createKafka(settings, { ...time, ...(logger === undefined ? {} : { logger }) });
  const told = onUnavailable === undefined ? {} : { onUnavailable };
  const serde = ways.createSerde({ registryUrl, topics, ...told, ...time });
  return {
    kafka,
    serde,
    async close() {
      serde.close();
      await kafka.close();
    },
  };
}
