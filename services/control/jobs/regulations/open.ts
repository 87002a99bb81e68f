import { MAX_WINDOW_MS } from "#contract";
import { isRestoreMark, type PartitionWriter, type Producer, type Table } from "#kafka";
import { failUnlessStopping, type ServiceContext, watchNumbers } from "#runtime";
import { type DestinationConfig, KEPT_MS, type Regulation, witnessesOf } from "#topics";
import type { ConfigStore } from "../../records/config-store.ts";
import { forgetEnded } from "../../records/durable-work/forgetting.ts";
import type { OwningParts } from "../../records/durable-work/owned-work.ts";
import { WorkOwner } from "../../records/durable-work/owner.ts";
import { Pace } from "../../records/durable-work/pace.ts";
import { createSoleWriter } from "../../records/sole-writer.ts";
import type { Suppressed } from "../../records/suppressions/suppressed.ts";
import type { DestinationListing } from "../../resources/destinations/configured.ts";
import { MAX_PAUSE_LIMIT_MS } from "../../resources/destinations/pause.ts";
import { isConnected } from "../../resources/regulations/affected-sources.ts";
import { hasEnded } from "../../resources/regulations/regulation.ts";
import { createRegulationStore, type RegulationStore } from "../../resources/regulations/store.ts";
import { createRegulationRecords } from "./records.ts";
import { type RegulationWork, WRITTEN_KINDS, workOn } from "./worker.ts";

export interface OpenRegulationsParts extends OwningParts {
  readonly destinations: Pick<ConfigStore<DestinationConfig> & DestinationListing, "hasAny" | "refresh">;
  readonly suppressed: Pick<Suppressed, "look">;
}

interface RegulationsSettings {
  readonly regulations: { readonly notificationsPerSecond: number };
}

type Context = Pick<
  ServiceContext<RegulationsSettings>,
  "settings" | "lifecycle" | "health" | "logger" | "metrics" | "host" | "nowMs"
>;

/** Kafka has so long to name a writer and to acknowledge a request, which else is answered with 503. */
const DELIVERY_TIMEOUT_MS = 5_000;

/** How far a regulation is asks Kafka up to four times to be noted. One that is given up is tried again. */
const NOTING_TIMEOUT_MS = 10_000;

/** A regulation is held open while it is worked on, and has up to a megabyte. */
const MAX_OUTSTANDING = { records: 10_000, bytes: 64 * 1024 * 1024 };

/**
 * A call that was accepted before a deletion may wait so long until it is a dead letter: for routers, for deliverers, in its window, and in
 * a pause. The deletion is known as long as the letter is kept, so that nothing sends or shows it.
 */
const LONGEST_WAIT_MS = KEPT_MS.calls + KEPT_MS.deliveryJobs + MAX_WINDOW_MS + MAX_PAUSE_LIMIT_MS;

/** Takes part in working on regulations; the API does not wait for it. */
export function openRegulations(context: Context, parts: OpenRegulationsParts): RegulationStore {
  const { kafka, serde, topics } = parts;
  const topic = topics.regulations;
  const table = kafka.table<Regulation>({
    topic: topic.name,
    witnesses: witnessesOf(topics, topic),
    decode: ({ value }) => serde.decode(topic, value),
  });
  context.health.readiness("regulations are read", () => table.loaded);
  table.load().catch(failUnlessStopping(context.lifecycle));
  const asking = kafka.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  const newWriter = async (): Promise<PartitionWriter> => {
    const term = await kafka.nextTerm(topic.name, undefined, DELIVERY_TIMEOUT_MS);
    const writer = kafka.termWriter(term, DELIVERY_TIMEOUT_MS);
    return { send: (record) => writer.send([{ topic: topic.name, ...record }]) };
  };
  const store = createRegulationStore({ topic, table, producer: asking, newWriter, serde });
  own(context, parts, { table, store, producer: kafka.durableProducer() });
  forgetEnded(context, topics, { what: "regulations", store, hasEnded, longerMs: LONGEST_WAIT_MS });
  return store;
}

interface Working {
  readonly table: Table<Regulation>;
  readonly store: RegulationStore;
  readonly producer: Producer;
}

function own(context: Context, parts: OpenRegulationsParts, working: Working): void {
  const { logger, metrics, host } = context;
  const work = workOf(context, parts, working);
  const owner = new WorkOwner<Regulation>({
    isOpen: (regulation) => !hasEnded(regulation),
    host,
    producer: working.producer,
    async work(id, { signal, write }) {
      // To the end: another process may have come further, and a destination may be new.
      await Promise.all([working.table.load(), parts.destinations.refresh()]);
      await workOn(id, { ...work, write }, signal);
    },
    onFailed: (regulationId, error) =>
      logger.warn({ regulationId, err: error }, "a regulation cannot go on yet"),
  });
  takePart(context, parts, owner);
  watchNumbers(metrics, () => owner, {
    control_regulations_open: ["Regulations that this process works on.", ({ running }) => running],
  });
}

function takePart(
  { logger }: Context,
  { ownedWork, serde, topics }: OpenRegulationsParts,
  owner: WorkOwner<Regulation>,
): void {
  ownedWork.add({
    topics: [topics.regulations.name],
    decode: (record) =>
      record.value === null || isRestoreMark(record)
        ? undefined
        : serde.decode(topics.regulations, record.value),
    step: owner.step,
    deadLetter({ key }, error) {
      logger.error({ regulationId: key, err: error }, "a regulation cannot be read");
      return [];
    },
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    onRevoked: (partitions) => owner.revoked(partitions),
    end: () => owner.stop(),
  });
}

function workOf(
  { settings, metrics, host, nowMs }: Context,
  { kafka, serde, topics, destinations, suppressed }: OpenRegulationsParts,
  { table, store }: Working,
): Omit<RegulationWork, "write"> {
  const written = metrics.counter({
    name: "control_regulation_records_total",
    help: "What regulations have written.",
    labels: { kind: WRITTEN_KINDS },
  });
  const sole = createSoleWriter(
    store,
    kafka.tableWriter({ topic: topics.regulations.name, table, timeoutMs: NOTING_TIMEOUT_MS }),
  );
  return {
    store,
    replace: (progress) => sole.replace(progress, (after, only) => store.put(after, only)),
    nextTerm: (before) => kafka.nextTerm(topics.suppressions.name, before),
    writerIn: (term) => kafka.termWriter(term),
    records: createRegulationRecords({ topics, serde, nowMs }),
    lookAtSuppressions: () => suppressed.look(),
    isConnected: (sourceId) => isConnected(destinations, sourceId),
    pace: new Pace(settings.regulations.notificationsPerSecond, host),
    onWritten: (kind, count) => written.inc({ kind }, count),
    host,
    nowMs,
  };
}
