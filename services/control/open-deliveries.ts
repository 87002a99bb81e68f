// What became of calls: the index of it, dead letters whole, replays.
import type { Admin, Table } from "#kafka";
import { failUnlessStopping, type ServiceContext, type SettingsOf } from "#runtime";
import { type Call, consumerGroups, type DestinationConfig, type RefusedCalls, type Replay } from "#topics";
import type { settings } from "./config.ts";
import type { FilterTestWork } from "./deliveries/calls/filter-test.ts";
import { lastCalls } from "./deliveries/calls/last-calls.ts";
import type { CallParts } from "./deliveries/calls/parts.ts";
import type { IndexDisk } from "./deliveries/index/database.ts";
import { type Deliveries, openDeliveryIndex } from "./deliveries/index/open.ts";
import { type Live, openLive } from "./deliveries/live/live.ts";
import { openRollups } from "./deliveries/rollups/open.ts";
import { createWaitingReader, type WaitingReader } from "./deliveries/waiting/reader.ts";
import { WaitingCounter, type WaitingCounterOptions } from "./deliveries/waiting/waiting-counter.ts";
import type { AuditLog } from "./http/audit/parts.ts";
import { countCalls } from "./jobs/replays/count.ts";
import { findMissing, MAX_GIVEN } from "./jobs/replays/missing-calls.ts";
import { type OpenReplaysParts, openReplays } from "./jobs/replays/open.ts";
import type { CallReplayParts } from "./jobs/replays/parts.ts";
import { findSettled } from "./jobs/replays/settled-calls.ts";
import { jobStretches, routedCalls } from "./jobs/replays/stretches.ts";
import { createAuditLog } from "./records/audit-log.ts";
import type { Breakers } from "./records/breakers/breakers.ts";
import type { ConfigStore } from "./records/config-store.ts";
import type { OwningParts } from "./records/durable-work/owned-work.ts";
import { createPlaceReader, type DeadLetterReader, type PlaceReader } from "./records/places/place-reader.ts";
import type { Slices } from "./records/profiles/slices.ts";
import { createReplayStore, type ReplayStore } from "./records/replays/store.ts";
import type { DeletedUsers } from "./resources/regulations/deleted-users.ts";

/** A request that Kafka has not acknowledged by then is answered with 503. */
const DELIVERY_TIMEOUT_MS = 5_000;
/** Somebody waits for the view of a call. */
const INDEXED_WITHIN_MS = 2_000;

export interface DeliveriesParts extends OwningParts {
  readonly indexDisk: IndexDisk;
  readonly destinations: Pick<ConfigStore<DestinationConfig>, "get" | "refresh">;
  readonly deletedUsers: DeletedUsers;
  readonly breakers: Pick<Breakers, "attempted">;
  readonly slices: Slices;
}

export interface OpenDeliveries {
  readonly live: Live;
  readonly deliveries: Deliveries;
  readonly deadLetters: DeadLetterReader;
  readonly acceptedCalls: PlaceReader<Call>;
  readonly refusedCalls: PlaceReader<RefusedCalls>;
  readonly lastCalls: FilterTestWork["lastCalls"];
  readonly replays: ReplayStore;
  readonly waiting: WaitingReader;
  readonly waitingCounter: WaitingCounter;
  readonly auditLog: AuditLog;
  /** End of every partition of the dead letters now, by its number. */
  deadLetterEnds(): Promise<number[]>;
  readonly routedUpTo: CallParts["routedUpTo"];
  readonly untilIndexed: CallParts["untilIndexed"];
  readonly jobStretches: CallReplayParts["jobStretches"];
  readonly callStretches: CallReplayParts["callStretches"];
  readonly countCalls: CallReplayParts["countCalls"];
}

/** The index and the replays are read by themselves: every answer from the index says how far it is. */
export function openDeliveries(
  context: ServiceContext<SettingsOf<typeof settings>>,
  parts: DeliveriesParts,
): OpenDeliveries {
  const { kafka, serde, topics } = parts;
  const table = followReplays(context, parts);
  const producer = kafka.producer({ deliveryTimeoutMs: DELIVERY_TIMEOUT_MS });
  const store = createReplayStore({ topic: topics.replays, table, producer, serde });
  const live = openLive(context, parts);
  const deliveries = openDeliveryIndex(context, {
    ...parts,
    onAttempt(attempt) {
      live.attempted(attempt);
      parts.breakers.attempted(attempt);
    },
  });
  openRollups(context, { deliveries, producer, serde, topics });
  const deadLetters = createPlaceReader({ kafka, serde, topic: topics.deadLetters });
  const groups = consumerGroups(context.settings.topics.prefix);
  const admin = kafka.admin();
  const waitingTopics = { kafka, admin, serde, topics, groupId: groups.deliverer.id };
  const waiting = createWaitingReader(waitingTopics);
  const topicName = topics.deliveryJobs.name;
  const endsOf = (kind: EndedTopic) => endsNow(admin, topics[kind].name);
  const deadLetterEnds = () => endsOf("deadLetters");
  const jobsSince: CallReplayParts["jobStretches"] = (fromMs) => jobStretches(admin, topicName, fromMs);
  const reading = { kafka, serde, topic: topics.deliveryJobs, ...deliveries };
  const settled = { ...reading, ...waitingTopics, topicName, waiting, deadLetterEnds };
  const missing = {
    ...reading,
    maxGiven: MAX_GIVEN,
    routedCallEnds: () => endsOf("routedCalls"),
    jobStretches: jobsSince,
  };
  const routers = { admin, groupId: groups.webhookRouter.id, topic: topics.calls.name, host: context.host };
  const routed = routedCalls(routers);
  const candidates: OpenReplaysParts["candidates"] = {
    calls: topics.calls,
    deletedUsers: parts.deletedUsers,
    destination: (id) => parts.destinations.get(id),
    findSettled: (replay, signal) => findSettled(settled, replay, signal),
    findMissing: (replay, signal) => findMissing(missing, replay, signal),
    beginSlices: () => parts.slices.begin(),
    ...routed,
  };
  openReplays(context, { ...parts, store, deliveries, deadLetters, candidates });
  return {
    live,
    deliveries,
    deadLetters,
    acceptedCalls: createPlaceReader({ kafka, serde, topic: topics.calls }),
    refusedCalls: createPlaceReader({ kafka, serde, topic: topics.refusedCalls }),
    lastCalls: (asked) => lastCalls({ kafka, admin, serde, topic: topics.calls }, asked),
    replays: store,
    waiting,
    waitingCounter: openWaitingCounter(context, { ...waitingTopics, deadLetterEnds }),
    auditLog: createAuditLog({
      ...{ kafka, serde, topics, index: deliveries.index },
      auditEnds: () => endsOf("auditLog"),
      covers: (ends, timeoutMs) => deliveries.progress.untilCovers("auditLog", ends, timeoutMs),
    }),
    deadLetterEnds,
    untilIndexed: async (kind) =>
      await deliveries.progress.untilCovers(kind, await endsOf(kind), INDEXED_WITHIN_MS),
    countCalls: (replay, signal) => countCalls(replay, { ...reading, ...candidates }, signal),
    jobStretches: jobsSince,
    ...routed,
  };
}

function openWaitingCounter(
  { host, lifecycle, logger }: ServiceContext<unknown>,
  parts: Pick<WaitingCounterOptions, "admin" | "deadLetterEnds" | "groupId" | "kafka" | "serde" | "topics">,
): WaitingCounter {
  const ending = new AbortController();
  lifecycle.onStop("count of waiting calls", () => ending.abort());
  return new WaitingCounter({ ...parts, host, logger, signal: ending.signal });
}

type EndedTopic = "auditLog" | "deadLetters" | "routedCalls";

/** End of every partition, by its number. */
async function endsNow(admin: Pick<Admin, "offsets">, topicName: string): Promise<number[]> {
  const offsets = await admin.offsets(topicName);
  return offsets.sort((one, other) => one.partition - other.partition).map(({ high }) => high);
}

function followReplays(
  { health, lifecycle }: ServiceContext<unknown>,
  { kafka, serde, topics }: DeliveriesParts,
): Table<Replay> {
  const table = kafka.table({
    topic: topics.replays.name,
    decode: ({ value }) => serde.decode(topics.replays, value),
  });
  health.readiness("replays are read", () => table.loaded);
  table.load().catch(failUnlessStopping(lifecycle));
  return table;
}
