// Which calls a destination was never sent, as far as a replay asks.
import { type CallUser, type DropReason, deliveryJobId } from "#contract";
import type { Kafka, RawRecord } from "#kafka";
import type { Serde } from "#serde";
import type { Call, DeliveryJob, ReplayStretch, Topic } from "#topics";
import type { DeliveryIndex } from "../../deliveries/index/delivery-index.ts";
import type { Progress } from "../../deliveries/index/progress.ts";
import type { ListedRoutedCall } from "../../deliveries/index/routed-calls-table.ts";
import { placeOf, type Spot } from "../../records/places/places.ts";
import { isUndecodable } from "../../records/places/undecodable.ts";
import { IdSet, LastIds } from "../id-set.ts";
import { type CallReplay, CannotGoOn, isOfDestination, recordsOf } from "./call-selection.ts";
import { findCovered } from "./covered.ts";

/**
 * missing: it had no job of the call. written: it has one, of this very replay. sent: it had one, or is not to have one. unknown: nothing is
 * recorded of where the call went.
 */
type Was = "missing" | "written" | "sent" | "unknown";

export interface MissingCalls {
  /** Of a call by where it stands in calls. */
  was(call: CallUser & Pick<Call, "sourceId" | "messageId">, spot: Spot): Promise<Was>;
}

export interface MissingCallsParts {
  readonly kafka: Pick<Kafka, "readRange">;
  readonly serde: Pick<Serde, "decodeFields">;
  readonly topic: Topic<"delivery-job">;
  readonly index: Pick<DeliveryIndex, "listRoutedCalls">;
  readonly progress: Pick<Progress, "untilCovers">;
  /** Calls that other replays and syncs gave a destination, that are kept in memory. */
  readonly maxGiven: number;
  routedCallEnds(): Promise<number[]>;
  /** What of delivery-jobs has jobs of calls that were accepted since then (Unix ms). */
  jobStretches(fromMs: number | undefined): Promise<ReplayStretch[]>;
}

/** 16 bytes for each. */
export const MAX_GIVEN = 1_000_000;
/** Of the replay's own jobs in a partition; its record says every second how far it is, and at most 10,000 come in one. */
const LAST_WRITTEN = 100_000;
/** Of one user's messageId; more are known of none. */
const MAX_SAID = 100;
/** No destination is to have such a call. */
const NEVER_SENT: readonly DropReason[] = ["duplicate", "suppressed"];

/**
 * What routers gave the destination is in the index, which has read what they said of every call of the replay. What it was given otherwise, by replays and
 * syncs, is read from delivery-jobs: an owner that comes after a crash finds there what the one before it has written.
 */
export async function findMissing(
  parts: MissingCallsParts,
  replay: CallReplay,
  signal: AbortSignal,
): Promise<MissingCalls> {
  const { index, progress } = parts;
  const { destinationId } = replay;
  const ends = await parts.routedCallEnds();
  const covering = { progress, kind: "routedCalls", ends, signal } as const;
  const given = await readGiven(parts, replay, signal);
  return {
    async was(call, spot) {
      const { anonymousId, messageId, sourceId, userId } = call;
      const asked = { messageId, sourceId, user: { userId, anonymousId } };
      const listed = await findCovered(() => index.listRoutedCalls(asked, MAX_SAID), covering);
      const said = wasSaid(listed, destinationId, placeOf(spot));
      if (said !== "missing") return said;
      return given.was(deliveryJobId(call, destinationId));
    },
  };
}

/** `said` is oldest first. Of a call that was accepted again after a day the last one counts, so that it is sent once. */
function wasSaid(
  said: readonly ListedRoutedCall[],
  destinationId: string,
  place: number,
): "missing" | "sent" | "unknown" {
  if (!said.some(({ callPlace }) => callPlace === place)) return "unknown";
  if (said.some(({ destinationIds }) => destinationIds.includes(destinationId))) return "sent";
  const last = said.findLast(({ outcome }) => !NEVER_SENT.some((reason) => reason === outcome));
  return last?.callPlace === place ? "missing" : "sent";
}

const JOB_FIELDS = [
  ...(["jobId", "replayId", "receivedAtMs"] as const),
  ...(["sourceId", "messageId", "userId", "anonymousId"] as const),
] as const;

type GivenJob = Pick<DeliveryJob, (typeof JOB_FIELDS)[number]>;

async function readGiven(parts: MissingCallsParts, replay: CallReplay, signal: AbortSignal): Promise<Given> {
  const { kafka, maxGiven, serde, topic } = parts;
  const { destinationId, fromMs } = replay;
  const decode = serde.decodeFields(topic, JOB_FIELDS);
  const stretches = await parts.jobStretches(fromMs ?? undefined);
  const given = new Given(replay, Math.min(recordsOf(stretches), maxGiven));
  const read = async ({ partition, value }: RawRecord): Promise<void> => {
    try {
      given.take(await decode(value), partition);
    } catch (error) {
      // Deliverers could not read it either.
      if (!isUndecodable(error)) throw error;
    }
  };
  for (const { partition, fromOffset, toOffset } of stretches)
    await kafka.readRange({
      topic: topic.name,
      ...{ partition, fromOffset, toOffset, signal },
      onRecord: (record) => (isOfDestination(destinationId, record) ? read(record) : undefined),
    });
  return given;
}

/** Jobs that others than routers wrote for the destination, by the ids that routers would have given them. */
class Given {
  readonly #replay: CallReplay;
  readonly #most: number;
  readonly #elsewhere: IdSet;
  /** Of its own jobs the last ones of each partition: they stand in the order in which it reads calls, and it asks for none that its cursor has passed. */
  readonly #here = new Map<number, LastIds>();
  #left: number;

  constructor(replay: CallReplay, most: number) {
    this.#replay = replay;
    this.#most = most;
    this.#elsewhere = new IdSet(most);
    this.#left = most;
  }

  was(routersId: string): "missing" | "written" | "sent" {
    if (this.#elsewhere.has(routersId)) return "sent";
    return [...this.#here.values()].some((last) => last.has(routersId)) ? "written" : "missing";
  }

  take(job: GivenJob, partition: number): void {
    const { destinationId, id } = this.#replay;
    const routersId = deliveryJobId(job, destinationId);
    if (job.replayId === id) this.#takeOwn(routersId, partition);
    else if (job.replayId !== null || job.jobId !== routersId) this.#takeOthers(job, routersId);
  }

  #takeOwn(routersId: string, partition: number): void {
    const last = this.#here.get(partition) ?? new LastIds(LAST_WRITTEN);
    this.#here.set(partition, last);
    last.add(routersId);
  }

  #takeOthers(job: GivenJob, routersId: string): void {
    if (!this.#mayBeMeant(job) || this.#elsewhere.has(routersId)) return;
    if (this.#left === 0)
      throw new CannotGoOn(
        `more than ${this.#most} of the calls were sent again before: narrow it by sourceId, from or to`,
      );
    this.#left -= 1;
    this.#elsewhere.add(routersId);
  }

  /** A sync's job has the time of the sync, a replay's that of its call. */
  #mayBeMeant({ receivedAtMs, replayId, sourceId }: GivenJob): boolean {
    const { calls, fromMs, toMs } = this.#replay;
    if (calls.sourceId !== null && calls.sourceId !== sourceId) return false;
    return replayId === null || (receivedAtMs >= (fromMs ?? 0) && receivedAtMs < (toMs ?? Infinity));
  }
}
