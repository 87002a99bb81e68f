import type { Producer, Received, Runner, Step, Table } from "#kafka";
import type { DeliveryJob, DeliveryWake } from "#topics";
import type { Connection, DelivererContext, Reading } from "../connection.ts";
import type { FollowedDestinations } from "../destinations.ts";
import type { EndpointQueues } from "../endpoints/endpoint-queues.ts";
import { position } from "../job/judge.ts";
import type { WebhookResult } from "../outcomes.ts";
import { AskedRetries } from "./asked-retries.ts";
import { createWakeCursors, type WakeCursors } from "./cursors.ts";
import { forgetPassedCursors } from "./forget.ts";
import { createWakePace } from "./pace.ts";
import { ReaderJobs } from "./reader-jobs.ts";
import { createRoom } from "./room.ts";
import { createWaker, type Waker } from "./waker.ts";

/** Of more endpoints than that all are looked for again. */
const MAX_SEEN = 100_000;

export interface WakingParts {
  readonly producer: Pick<Producer, "send">;
  readonly destinations: Pick<FollowedDestinations, "state" | "onRetryAsked">;
  readonly queues: EndpointQueues;
}

/** What the reader of the retry topics and the requests have to do with waking. */
export interface Waking {
  /** Before partitions are read: what their last owners took of them. */
  loaded(): Promise<void>;
  /** The job was taken care of ahead of its time; its record only has to be passed over. */
  isTaken(record: Received<DeliveryJob>): boolean;
  /** What the reader does with a record: `step`, unless it was taken care of already. */
  reading(step: Step<DeliveryJob>): Step<DeliveryJob>;
  /** A request has ended. */
  requested(job: DeliveryJob, result: WebhookResult): void;
  /** Partitions were given out: what waits in them is not known here. */
  reassigned(): void;
  /** Begins to wake: `step` is what a job in hand goes through. */
  begin(runner: Runner, step: Step<DeliveryJob>): void;
}

export function openWaking(context: DelivererContext, connection: Reading, parts: WakingParts): Waking {
  const table = followWakes(context, connection);
  const { topics, serde } = connection;
  const write = (records: Parameters<Producer["send"]>[0]) => parts.producer.send(records);
  const cursors = createWakeCursors({ table, topics, serde, write });
  const readerJobs = new ReaderJobs();
  const retryTopics = new Set(connection.retryTopics.map(({ name }) => name));
  /** URLs whose endpoint's waiting calls this process has looked for since it got its partitions. */
  const seen = new Set<string>();
  let waker: Waker | undefined;
  const asked = new AskedRetries({
    ...context,
    ...parts,
    stopping: context.lifecycle.stopping,
    waker: () => waker,
  });
  parts.destinations.onRetryAsked((id, askedAtMs) => asked.add(id, askedAtMs));

  const isTaken = (record: Received<DeliveryJob>) =>
    retryTopics.has(record.topic) &&
    cursors.isTaken({ ...record, destinationId: record.decoded.destinationId });

  return {
    loaded: () => table.load(),
    isTaken,
    reading(step) {
      const followed = readerJobs.following(step);
      return (record, settle, claim) => {
        if (!retryTopics.has(record.topic)) step(record, settle, claim);
        else if (isTaken(record)) settle({ produce: [] });
        else followed(record, settle, claim);
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
      asked.again();
    },
    begin(runner, step) {
      const started = startWaker(context, connection, { ...parts, cursors, readerJobs, runner, step });
      waker = started;
      parts.queues.listen({
        onRecovered: (endpoint) => started.recovered(endpoint),
        onRoom: (endpoint) => started.hasRoom(endpoint),
      });
      forgetPassed(context, connection, { cursors, runner, topics: retryTopics });
    },
  };
}

function followWakes(
  { lifecycle, logger }: DelivererContext,
  { kafka, serde, topics }: Connection,
): Table<DeliveryWake> {
  const table = kafka.table({
    topic: topics.deliveryWakes.name,
    decode: ({ value }) => serde.decode(topics.deliveryWakes, value),
    onPoison: ({ key }, error) => logger.error({ key, err: error }, "a wake's cursor cannot be read"),
  });
  table.failed.catch((error: unknown) => lifecycle.fail(error));
  return table;
}

interface WakerParts extends WakingParts {
  readonly cursors: WakeCursors;
  readonly readerJobs: ReaderJobs;
  readonly runner: Runner;
  readonly step: Step<DeliveryJob>;
}

function startWaker(
  { host, lifecycle, logger, metrics, nowMs }: DelivererContext,
  { kafka, retryTopics, serde, topics }: Reading,
  { cursors, destinations, queues, producer, readerJobs, runner, step }: WakerParts,
): Waker {
  const wokenCalls = metrics.counter({
    name: "delivery_woken_calls_total",
    help: "Waiting calls that were taken ahead of their due time, because their endpoint was back or had room, or somebody asked for it.",
  });
  const admin = kafka.admin();
  const waker = createWaker({
    topics: retryTopics.map(({ name }) => name).reverse(),
    cursors,
    readerJobs,
    step,
    room: createRoom({ queues, pace: createWakePace(host), host }),
    nowMs,
    host,
    decode: ({ value }) => serde.decode(topics.deliveryJobs, value),
    position: (partition) => runner.position(partition),
    ownership: (partition) => runner.ownership(partition),
    offsets: (topic) => admin.offsets(topic),
    readRange: (range) => kafka.readRange(range),
    destination: (id) => destinations.state(id),
    write: (records) => producer.send(records),
    logger,
    woken: (calls) => wokenCalls.inc({}, calls),
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
