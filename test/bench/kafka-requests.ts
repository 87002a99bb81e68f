// What services say that they have sent to Kafka.
import { metricsOf, valuesByLabel } from "#support/metrics";
import type { ServiceProcess } from "#support/service";

/** What a process has sent to Kafka, in all or a second; every map is empty where it does not count. */
export interface KafkaRequests {
  readonly byApi: ReadonlyMap<string, number>;
  /** By topic: produce requests that carried some of its records, and the records. */
  readonly produceRequests: ReadonlyMap<string, number>;
  readonly producedRecords: ReadonlyMap<string, number>;
}

export const NO_REQUESTS: KafkaRequests = {
  byApi: new Map(),
  produceRequests: new Map(),
  producedRecords: new Map(),
};

/** So far, by the service's metrics. Topics are named without the deployment's prefix. */
export async function requestsOf(service: ServiceProcess, prefix: string): Promise<KafkaRequests> {
  const text = await metricsOf(service);
  const byTopic = (name: string): Map<string, number> =>
    new Map(
      [...valuesByLabel(text, name)].map(([topic, count]) => [
        topic.startsWith(prefix) ? topic.slice(prefix.length) : topic,
        count,
      ]),
    );
  return {
    byApi: valuesByLabel(text, "hookline_kafka_requests_total"),
    produceRequests: byTopic("hookline_kafka_topic_produce_requests_total"),
    producedRecords: byTopic("hookline_kafka_topic_produced_records_total"),
  };
}

type Counts = ReadonlyMap<string, number>;

function sumOfCounts(one: Counts, other: Counts): Counts {
  const sum = new Map(one);
  for (const [name, count] of other) sum.set(name, count + (sum.get(name) ?? 0));
  return sum;
}

/** Of two processes. */
export function sumOfRequests(one: KafkaRequests, other: KafkaRequests): KafkaRequests {
  return {
    byApi: sumOfCounts(one.byApi, other.byApi),
    produceRequests: sumOfCounts(one.produceRequests, other.produceRequests),
    producedRecords: sumOfCounts(one.producedRecords, other.producedRecords),
  };
}
