import type { Producer, Received, Runner, Step, Table, TopicPartition } from "#kafka";
import { failUnlessStopping } from "#runtime";
import type { DeliveryJob, DeliveryWake } from "#topics";
import type { Connection, DelivererContext, Reading } from "../connection.ts";
import { type Destinations, quotaIn } from "../destinations.ts";
import type { DestinationLimits } from "../endpoints/destination-limits.ts";
import type { EndpointQueues } from "../endpoints/endpoint-queues.ts";
import { position } from "../job/judge.ts";
import type { WebhookResult } from "../outcomes.ts";
import { carryOut } from "./carry-out.ts";
import { createWakeCursors, type WakeCursors } from "./cursors.ts";
import { forgetPassedCursors } from "./forget.ts";
import { hastening } from "./hastened.ts";
import { JobsInHand } from "./jobs-in-hand.ts";
import { createWakePace } from "./pace.ts";
import type { PassParts } from "./parts.ts";
import { ReaderJobs } from "./reader-jobs.ts";
import { RetryRequests } from "./retry-requests.ts";
import { createRoom } from "./room.ts";
import { createTerms } from "./terms.ts";
import { createWaker, type Waker } from "./waker.ts";

/** The number of endpoints that are remembered as seen; beyond it, all are looked for again. */
const MAX_SEEN = 100_000;

export interface WakingParts {
  readonly producer: Pick<Producer, "send">;
  readonly destinations: Pick<Destinations, "state">;
  readonly queues: EndpointQueues;
  readonly limits: DestinationLimits;
}

/** The interface of waking for the reader of the retry topics and for the requests. */
export interface Waking {
  /** The job was taken care of ahead of its time; its record only has to be passed over. */
  isTaken(record: Received<DeliveryJob>): boolean;
  /** The reader's step for a record: `step`, unless it was taken care of already. */
  reading(step: Step<DeliveryJob>): Step<DeliveryJob>;
  /** A request has ended. */
  requested(job: DeliveryJob, result: WebhookResult): void;
  /** Partitions were given out: what waits in them is not known here. */
  reassigned(): void;
  /** Resolves when it is known what the last owners of the partitions have taken of them. */
  cursorsRead(): Promise<void>;
  /** Begins to wake: `step` is what a job in hand goes through. */
  begin(runner: Runner, step: Step<DeliveryJob>): void;
}

export function openWaking(context: DelivererContext, connection: Reading, parts: WakingParts): Waking {
  const table = followWakes(context, connection);
  const { topics, serde } = connection;
  const write = (records: Parameters<Producer["send"]>[0]) => parts.producer.send(records);
  const cursors = createWakeCursors({ table, topics, serde, write });
  const readerJobs = new ReaderJobs();
  const jobsInHand = new JobsInHand();
  const retryTopics = new Set(connection.retryTopics.map(({ name }) => name));
  /** URLs whose endpoint's waiting calls this process has looked for since it got its partitions. */
  const seen = new Set<string>();
  let waker: Waker | undefined;
  const requests = followRequests(context, connection);
  const ahead = aheadOfTime(context, parts);
  const terms = createTerms(() => table.load());

  const isTaken = (record: Received<DeliveryJob>) =>
    retryTopics.has(record.topic) &&
    cursors.isTaken({ ...record, destinationId: record.decoded.destinationId });

  return {
    isTaken,
    reading(step) {
      const fresh = jobsInHand.following(step);
      const waiting = readerJobs.following(hastening(fresh, { ...ahead, requests }));
      return (record, settle, claim) => {
        if (!retryTopics.has(record.topic)) fresh(record, settle, claim);
        else if (isTaken(record)) settle({ produce: [] });
        else waiting(record, settle, claim);
      };
    },
    requested(job, { outcome, url }) {
      // A call that had failed goes through: others may wait since before this process knew the endpoint.
      if (outcome.kind !== "success" || position(job) === 0 || waker === undefined || seen.has(url)) return;
      if (seen.size >= MAX_SEEN) seen.clear();
      seen.add(url);
      waker.found(url);
    },
    reassigned() {
      seen.clear();
      requests.forgetPasses();
      terms.begin();
    },
    cursorsRead: terms.known,
    begin(runner, step) {
      // A job that the last owner of a partition took is not to be taken once more.
      const position = (partition: TopicPartition) =>
        terms.isKnown() ? runner.position(partition) : undefined;
      const followed = { jobsInHand, readerJobs, step: jobsInHand.following(step) };
      const waking = { ...parts, ...followed, ...ahead, cursors, position, requests, runner };
      const started = startWaker(context, connection, waking);
      waker = started;
      parts.queues.listen({
        onRecovered: (endpoint) => started.recovered(endpoint),
        onRoom: (endpoint) => started.hasRoom(endpoint),
      });
      forgetPassed(context, connection, { cursors, runner, topics: retryTopics });
      const carrying = {
        ...connection,
        ...context,
        ...parts,
        ...topics,
        requests,
        runner,
        waker: started,
        write,
      };
      void carryOut({ ...carrying, topics: retryTopics }, context.lifecycle.stopping);
    },
  };
}

/** For the reader and for passes alike. */
function aheadOfTime(
  { host, metrics, nowMs }: DelivererContext,
  { destinations, limits, queues }: WakingParts,
) {
  const wokenCalls = metrics.counter({
    name: "delivery_woken_calls_total",
    help: "Waiting calls taken ahead of their due time.",
  });
  const destination = (id: string) => destinations.state(id);
  const configured = {
    hasTurn: (id: string, atMs: number) => limits.hasTurn(id, quotaIn(destination(id)), atMs),
  };
  return {
    nowMs,
    room: createRoom({ queues, limits: configured, pace: createWakePace(host), host }),
    destination,
    woken: (calls: number): void => wokenCalls.inc({}, calls),
  };
}

function followWakes(
  { logger }: DelivererContext,
  { kafka, serde, topics }: Connection,
): Table<DeliveryWake> {
  const table = kafka.table({
    topic: topics.deliveryWakes.name,
    decode: ({ value }) => serde.decode(topics.deliveryWakes, value),
    onPoison: ({ key }, error) => logger.error({ key, err: error }, "a wake's cursor cannot be read"),
  });
  return table;
}

/** Follows retry requests. They are read apart, so that the reader of the topics does not wait for them. */
function followRequests(
  { lifecycle, logger, nowMs }: DelivererContext,
  { kafka, retryTopics, serde, topics }: Reading,
): RetryRequests {
  const requests = new RetryRequests({ topics: retryTopics.map(({ name }) => name), nowMs });
  const table = kafka.table({
    topic: topics.retryRequests.name,
    decode: ({ value }) => serde.decode(topics.retryRequests, value),
    keepsValues: false,
    onPoison: ({ key }, error) =>
      logger.error({ destinationId: key, err: error }, "a retry request cannot be read"),
  });
  table.onChange((_, request) => {
    if (request !== undefined) requests.observe(request, table.loaded);
  });
  void table.load().catch(failUnlessStopping(lifecycle));
  return requests;
}

interface WakerParts extends Pick<WakingParts, "producer">, ReturnType<typeof aheadOfTime> {
  readonly requests: RetryRequests;
  readonly position: PassParts["position"];
  readonly cursors: WakeCursors;
  readonly readerJobs: ReaderJobs;
  readonly jobsInHand: JobsInHand;
  readonly runner: Runner;
  readonly step: Step<DeliveryJob>;
}

function startWaker(
  { host, lifecycle, logger }: DelivererContext,
  { groupId, kafka, retryTopics, serde, topics }: Reading,
  { producer, runner, ...parts }: WakerParts,
): Waker {
  const admin = kafka.admin();
  const waker = createWaker({
    topics: retryTopics.map(({ name }) => name).reverse(),
    ...parts,
    host,
    decode: ({ value }) => serde.decode(topics.deliveryJobs, value),
    wasDone: (record) => runner.wasDone(record),
    takenEarly: (partition) => runner.takenEarly(partition),
    doneEarly: (record) => runner.doneEarly(record),
    ownership: (partition) => runner.ownership(partition),
    offsets: (topic) => admin.offsets(topic),
    committed: (topic) => admin.committedOffsets(groupId, topic),
    readRange: (range) => kafka.readRange(range),
    write: (records, hold) => producer.send(records, hold),
    logger,
  });
  lifecycle.onStop("waking", (graceMs) => waker.stop(Math.min(graceMs, 1_000)));
  return waker;
}

function forgetPassed(
  { host, lifecycle, logger }: DelivererContext,
  { groupId, kafka }: Connection,
  { cursors, runner, topics }: { cursors: WakeCursors; runner: Runner; topics: ReadonlySet<string> },
): void {
  const stopping = new AbortController();
  lifecycle.onStop("wake cursors", () => stopping.abort());
  const admin = kafka.admin();
  const options = {
    cursors,
    topics: [...topics],
    host,
    logger,
    assigned: () => runner.assigned,
    committed: (topic: string) => admin.committedOffsets(groupId, topic),
  };
  void forgetPassedCursors(options, stopping.signal);
}
