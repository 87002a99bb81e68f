import { type ServiceContext, watchNumbers } from "#runtime";
import type { DestinationConfig, Replay } from "#topics";
import type { Deliveries } from "../../deliveries/index/open.ts";
import type { ConfigStore } from "../../records/config-store.ts";
import { forgetEnded } from "../../records/durable-work/forgetting.ts";
import type { OwningParts } from "../../records/durable-work/owned-work.ts";
import { WorkOwner } from "../../records/durable-work/owner.ts";
import type { DeadLetterReader } from "../../records/places/place-reader.ts";
import type { ReplayStore } from "../../records/replays/store.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import { isCallReplay } from "./call-selection.ts";
import { type CallReplayWork, workOnCalls } from "./call-worker.ts";
import type { CandidateWork } from "./candidates.ts";
import { type ReplayWork, workOn } from "./worker.ts";

export interface OpenReplaysParts extends OwningParts {
  readonly store: ReplayStore;
  readonly deliveries: Deliveries;
  readonly deadLetters: DeadLetterReader;
  readonly deletedUsers: DeletedUsers;
  readonly destinations: Pick<ConfigStore<DestinationConfig>, "refresh">;
  /** Tells which calls are meant. */
  readonly candidates: Omit<CandidateWork, "serde" | "topic"> &
    Pick<CallReplayWork, "callStretches" | "untilRouted">;
}

type Context = Pick<ServiceContext<unknown>, "lifecycle" | "logger" | "metrics" | "host" | "nowMs">;

/** A replay is held open while it runs, and each has a record of progress a second. */
const MAX_OUTSTANDING = { records: 10_000, bytes: 64 * 1024 * 1024 };

/** Takes part in working on replays; the API does not wait for it. */
export function openReplays(context: Context, parts: OpenReplaysParts): void {
  const { logger, metrics, host } = context;
  const { kafka, ownedWork, serde, store, topics } = parts;
  const producer = kafka.durableProducer();
  const common = workOf(context, parts);
  const owner = new WorkOwner<Replay>({
    isOpen: ({ state }) => state === "running",
    host,
    producer,
    async work(id, { signal, write }) {
      // To the end: another process may have come further, and a deletion or what a destination takes may be new.
      const read = [store, parts.deletedUsers, parts.destinations];
      await Promise.all(read.map((one) => one.refresh()));
      const replay = store.get(id);
      if (replay === undefined) return;
      if (replay.state !== "running") {
        // A process that was cut off has written behind its end that it runs.
        if (!store.isAsWritten(id)) await store.put(replay);
        return;
      }
      const work = { ...common, write };
      if (isCallReplay(replay)) await workOnCalls(replay, work, signal);
      else await workOn(id, work, signal);
    },
    onFailed: (replayId, error) => logger.warn({ replayId, err: error }, "a replay cannot go on yet"),
  });
  ownedWork.add({
    topics: [topics.replays.name],
    decode: ({ value }) => (value === null ? undefined : serde.decode(topics.replays, value)),
    step: owner.step,
    deadLetter({ key }, error) {
      logger.error({ replayId: key, err: error }, "a replay cannot be read");
      return [];
    },
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    onRevoked: (partitions) => owner.revoked(partitions),
    end: () => owner.stop(),
  });
  forgetEnded(context, topics, { what: "replays", store, hasEnded: ({ state }) => state !== "running" });
  watchNumbers(metrics, () => owner, {
    control_replays_running: ["Replays that this process works on.", ({ running }) => running],
  });
}

function workOf(
  { metrics, host, nowMs }: Context,
  parts: OpenReplaysParts,
): Omit<ReplayWork & CallReplayWork, "write"> {
  const { candidates, kafka, store, deliveries, deadLetters, serde, topics } = parts;
  const replayed = metrics.counter({
    name: "control_replayed_calls_total",
    help: "Calls replayed.",
  });
  return {
    kafka,
    store,
    ...deliveries,
    ...candidates,
    deadLetters,
    serde,
    topic: topics.deliveryJobs,
    onReplayed: (calls) => replayed.inc({}, calls),
    host,
    nowMs,
  };
}
