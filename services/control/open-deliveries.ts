// What became of calls: the index of it, dead letters whole, replays.
import type { Kafka } from "#kafka";
import type { ServiceContext, SettingsOf } from "#runtime";
import type { Serde } from "#serde";
import { consumerGroups, type DestinationConfig, type TopicMap } from "#topics";
import type { settings } from "./config.ts";
import type { CallParts } from "./deliveries/calls/parts.ts";
import type { IndexDisk } from "./deliveries/index/database.ts";
import { type Deliveries, openDeliveryIndex } from "./deliveries/index/open.ts";
import { type Live, openLive } from "./deliveries/live/live.ts";
import { createWaitingReader, type WaitingReader } from "./deliveries/waiting/reader.ts";
import { jobStretches } from "./jobs/replays/job-stretches.ts";
import { openReplays } from "./jobs/replays/open.ts";
import type { CallReplayParts } from "./jobs/replays/parts.ts";
import { shardsOf } from "./jobs/replays/shards.ts";
import type { Breakers } from "./records/breakers/breakers.ts";
import { createPlaceReader, type DeadLetterReader } from "./records/places/place-reader.ts";
import { createReplayStore, type ReplayStore } from "./records/replays/store.ts";
import type { DeletedUsers } from "./resources/regulations/deleted-users.ts";

/** A request that Kafka has not acknowledged by then is answered with 503. */
const DELIVERY_TIMEOUT_MS = 5_000;
/** Somebody waits for the view of a call. */
const INDEXED_WITHIN_MS = 2_000;

export interface DeliveriesParts {
  readonly kafka: Kafka;
  readonly serde: Serde;
  readonly topics: TopicMap;
  readonly indexDisk: IndexDisk;
  readonly destination: (id: string) => DestinationConfig | undefined;
  readonly deletedUsers: DeletedUsers;
  readonly breakers: Pick<Breakers, "attempted">;
}

export interface OpenDeliveries {
  readonly live: Live;
  readonly deliveries: Deliveries;
  readonly deadLetters: DeadLetterReader;
  readonly replays: ReplayStore;
  readonly waiting: WaitingReader;
  /** End of every partition of the dead letters now, by its number. */
  deadLetterEnds(): Promise<number[]>;
  readonly routedUpTo: CallParts["routedUpTo"];
  readonly untilIndexed: CallParts["untilIndexed"];
  readonly jobStretches: CallReplayParts["jobStretches"];
}

/** The index and the replays are read by themselves: every answer from the index says how far it is. */
export function openDeliveries(
  context: ServiceContext<SettingsOf<typeof settings>>,
  parts: DeliveriesParts,
): OpenDeliveries {
  const { kafka, serde, topics } = parts;
  const table = kafka.table({
    topic: topics.replays.name,
    decode: ({ value }) => serde.decode(topics.replays, value),
  });
  context.health.readiness("replays are read", () => table.loaded);
  table.load().catch((error: unknown) => {
    if (!context.lifecycle.stopping.aborted) context.lifecycle.fail(error);
  });
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
  const deadLetters = createPlaceReader({ kafka, serde, topic: topics.deadLetters });
  const groups = consumerGroups(context.settings.topics.prefix);
  const groupId = groups.replays.id;
  const admin = kafka.admin();
  const deliverers = groups.deliverer.id;
  const waiting = createWaitingReader({ kafka, admin, serde, topics, groupId: deliverers });
  const topicName = topics.deliveryJobs.name;
  async function endsOf(kind: "deadLetters" | "routedCalls"): Promise<number[]> {
    const offsets = await admin.offsets(topics[kind].name);
    return offsets.sort((one, other) => one.partition - other.partition).map(({ high }) => high);
  }
  const deadLetterEnds = () => endsOf("deadLetters");
  const settled = { admin, topicName, groupId: deliverers, waiting, deadLetterEnds };
  openReplays(context, { ...parts, groupId, table, store, deliveries, deadLetters, settled });
  return {
    live,
    deliveries,
    deadLetters,
    replays: store,
    waiting,
    deadLetterEnds,
    routedUpTo: () => admin.committedOffsets(groups.webhookRouter.id, topics.calls.name),
    untilIndexed: async (kind) =>
      await deliveries.progress.untilCovers(kind, await endsOf(kind), INDEXED_WITHIN_MS),
    jobStretches: (destinationId, fromMs) =>
      jobStretches(admin, topicName, {
        destinationId,
        shards: shardsOf(parts.destination(destinationId)),
        fromMs,
      }),
  };
}
