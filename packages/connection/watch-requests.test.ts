import { randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import { createKafka } from "#kafka";
import { createMetrics } from "#runtime";
import { sumOfMetric } from "#support/metrics";
import { useStack } from "#support/stack";
import { topicMap } from "#topics";
import { watchRequests } from "./watch-requests.ts";

test("what the process has sent to Kafka is shown by API, what it wrote by topic", async () => {
  const { brokers } = await useStack();
  const topics = topicMap({ prefix: `t${randomBytes(6).toString("hex")}-`, retryDelaysMs: [] });
  const metrics = createMetrics({ service: "test", version: "1" });
  watchRequests(metrics, topics);
  const of = async (name: string): Promise<number> =>
    sumOfMetric(await metrics.expose(), `hookline_kafka_${name}`);
  const kafka = createKafka({ brokers, clientId: "watch-requests", tls: false });
  const { name, cleanup } = topics.calls;
  const creation = { partitions: 3, replicationFactor: 1, minInsyncReplicas: 1 };
  try {
    await kafka.admin().ensureTopics([{ name, cleanup }], creation);
    const producer = kafka.producer();
    const produceBefore = sumOf(await metrics.expose(), "Produce");
    const value = Buffer.from("v");
    await producer.send(["a", "b", "c", "d", "e"].map((key) => ({ topic: name, key, value })));
    await producer.send([{ topic: name, key: "a", value }]);
    expect(await of("topic_produced_records_total")).toBe(6);
    expect(await of("topic_produce_requests_total")).toBe(2);
    expect(sumOf(await metrics.expose(), "Produce") - produceBefore).toBe(2);
    expect(sumOf(await metrics.expose(), "Metadata")).toBeGreaterThan(0);
  } finally {
    await kafka.admin().deleteTopics([name]);
    await kafka.close();
  }
});

function sumOf(text: string, api: string): number {
  const line = text
    .split("\n")
    .find((each) => each.startsWith(`hookline_kafka_requests_total{api="${api}"}`));
  return Number(line?.split(" ")[1]);
}
