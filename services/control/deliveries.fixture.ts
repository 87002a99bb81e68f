// What deliverers write, written by a test; and the jobs that replays make, read back.
import { createKafka } from "#kafka";
import { createSerde } from "#serde";
import type { ControlService } from "#support/control-service";
import type { DeliveryJob, RecordName, RecordTypes, Topic } from "#topics";

export interface TopicClient {
  /** Keyed by their destinations, as deliverers do. */
  write<R extends "delivery-attempt" | "delivery-total" | "dead-letter">(
    topic: Topic<R>,
    records: readonly RecordTypes[R][],
  ): Promise<void>;
  /** A value that no schema fits. */
  writeRaw(topic: Topic, key: string | null, value: Buffer): Promise<void>;
  /** Every delivery job there is now. */
  jobs(): Promise<DeliveryJob[]>;
  close(): Promise<void>;
}

export async function openTopics({ stack, topics }: ControlService): Promise<TopicClient> {
  const kafka = createKafka({ brokers: stack.brokers, clientId: "deliveries-of-a-test", tls: false });
  const { deliveryAttempts, deliveryJobs, deliveryTotals, deadLetters } = topics;
  const used: readonly Topic<RecordName>[] = [deliveryAttempts, deliveryJobs, deliveryTotals, deadLetters];
  const serde = createSerde({ registryUrl: stack.registryUrl, topics: used });
  await serde.start();
  const producer = kafka.producer();
  const admin = kafka.admin();
  return {
    write: (topic, records) =>
      producer.send(
        records.map((record) => ({
          topic: topic.name,
          key: record.destinationId,
          value: serde.encode(topic, record),
        })),
      ),
    writeRaw: (topic, key, value) => producer.send([{ topic: topic.name, key, value }]),
    async jobs() {
      const jobs: DeliveryJob[] = [];
      for (const { partition, low, high } of await admin.offsets(deliveryJobs.name)) {
        await kafka.readRange({
          topic: deliveryJobs.name,
          partition,
          fromOffset: low,
          toOffset: high,
          onRecord: async ({ value }) =>
            void jobs.push(await serde.decode(deliveryJobs, value ?? Buffer.alloc(0))),
        });
      }
      return jobs;
    },
    async close() {
      serde.close();
      await kafka.close();
    },
  };
}
