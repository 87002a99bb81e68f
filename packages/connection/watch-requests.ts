import { KAFKA_APIS, producedTo, requestsSent } from "#kafka";
import type { Metrics } from "#runtime";
import { allTopics, type TopicMap } from "#topics";

/**
 * Shows what the process has sent to Kafka. A topic is said of produce requests only: a fetch names every topic of its group, and whether
 * one of them or another's silence made it wait is not known.
 */
export function watchRequests(metrics: Metrics, topics: TopicMap): void {
  metrics.counter({
    name: "kafka_requests_total",
    help: "Requests to Kafka by API.",
    labels: { api: KAFKA_APIS },
    collect(totals) {
      for (const api of KAFKA_APIS) totals.set({ api }, requestsSent(api));
    },
  });
  const names = allTopics(topics).map(({ name }) => name);
  metrics.counter({
    name: "kafka_topic_produce_requests_total",
    help: "Produce requests with records of a topic; one with several topics counts for each.",
    labels: { topic: names },
    collect(totals) {
      for (const topic of names) totals.set({ topic }, producedTo(topic).requests);
    },
  });
  metrics.counter({
    name: "kafka_topic_produced_records_total",
    help: "Records in produce requests by topic, repeated tries included.",
    labels: { topic: names },
    collect(totals) {
      for (const topic of names) totals.set({ topic }, producedTo(topic).records);
    },
  });
}
