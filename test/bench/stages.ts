// Where a call's time goes: by the times that its records carry.
import { connect } from "#connection";
import type { Kafka, RawRecord } from "#kafka";
import type { Deployment } from "#support/deployment";
import type { Call, DeliveryJob, Topic, TopicMap } from "#topics";

/** A call as its sender and its receiver saw it. */
export interface CallSample {
  readonly messageId: string;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/** What a call's time is made of, in milliseconds; the records carry whole ones. */
export interface StageTimes {
  /** The call is read and accepted by ingest. */
  readonly acceptedMs: number;
  /** Until its record leaves for Kafka: the producer's linger. */
  readonly gatheredMs: number;
  /** Until its job leaves the router for Kafka: the first hop. */
  readonly routedMs: number;
  /** Until it begins to arrive at the endpoint: the second hop, the deliverer, HTTP. */
  readonly deliveredMs: number;
  readonly allMs: number;
}

interface Times {
  readonly writtenAtMs: number;
  readonly receivedAtMs: number;
}

async function timesIn(
  kafka: Kafka,
  topic: string,
  { since, decode }: { since: number; decode: (record: RawRecord) => Promise<Call | DeliveryJob> },
): Promise<Map<string, Times>> {
  const times = new Map<string, Times>();
  const admin = kafka.admin();
  const ends = new Map((await admin.offsets(topic)).map(({ partition, high }) => [partition, high]));
  for (const { partition, offset } of await admin.offsetForTime(topic, since)) {
    await kafka.readRange({
      topic,
      partition,
      fromOffset: offset,
      toOffset: ends.get(partition) ?? offset,
      async onRecord(record) {
        const { messageId, receivedAtMs } = await decode(record);
        if (!times.has(messageId)) times.set(messageId, { writtenAtMs: record.timestampMs, receivedAtMs });
      },
    });
  }
  return times;
}

/** Reads the topics again, so it is asked when the load is over. */
export async function stageTimes(
  deployment: Deployment,
  samples: readonly CallSample[],
): Promise<StageTimes[]> {
  const { stack, topics } = deployment;
  const connection = connect({
    kafka: { brokers: stack.brokers, clientId: "bench", tls: false },
    registryUrl: stack.registryUrl,
    topics: [topics.calls, topics.deliveryJobs],
  });
  const { kafka, serde } = connection;
  try {
    await serde.start();
    return stagesOf(
      samples,
      await written(kafka, topics, samples, (topic, { value }) =>
        Promise.resolve(serde.decode(topic, value)),
      ),
    );
  } finally {
    await connection.close();
  }
}

type Decode = (
  topic: Topic<"call"> | Topic<"delivery-job">,
  record: RawRecord,
) => Promise<Call | DeliveryJob>;

async function written(kafka: Kafka, topics: TopicMap, samples: readonly CallSample[], decode: Decode) {
  const since = Math.floor(samples.reduce((least, { sentAtMs }) => Math.min(least, sentAtMs), Date.now()));
  const { calls, deliveryJobs } = topics;
  return {
    calls: await timesIn(kafka, calls.name, { since, decode: (record) => decode(calls, record) }),
    jobs: await timesIn(kafka, deliveryJobs.name, {
      since,
      decode: (record) => decode(deliveryJobs, record),
    }),
  };
}

function stagesOf(
  samples: readonly CallSample[],
  { calls, jobs }: { calls: Map<string, Times>; jobs: Map<string, Times> },
): StageTimes[] {
  return samples.flatMap(({ messageId, sentAtMs, receivedAtMs }) => {
    const call = calls.get(messageId);
    const job = jobs.get(messageId);
    if (call === undefined || job === undefined) return [];
    return {
      acceptedMs: call.receivedAtMs - sentAtMs,
      gatheredMs: call.writtenAtMs - call.receivedAtMs,
      routedMs: job.writtenAtMs - call.writtenAtMs,
      deliveredMs: receivedAtMs - job.writtenAtMs,
      allMs: receivedAtMs - sentAtMs,
    };
  });
}
