// Which calls a destination was never sent, as far as a replay asks.
import { type CallUser, type DropReason, deliveryJobId } from "#contract";
import type { Kafka } from "#kafka";
import type { Serde } from "#serde";
import type { Call, DeliveryJob, ReplayStretch, Topic } from "#topics";
import type { DeliveryIndex } from "../../deliveries/index/delivery-index.ts";
import type { Progress } from "../../deliveries/index/progress.ts";
import type { ListedRoutedCall } from "../../deliveries/index/routed-calls-table.ts";
import { placeOf, type Spot } from "../../records/places/places.ts";
import { isUndecodable } from "../../records/places/undecodable.ts";
import { IdSet } from "../id-set.ts";
import { type CallReplay, isOfDestination, recordsOf } from "./call-selection.ts";

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
  /** Calls that replays and syncs gave a destination, that are kept in memory. */
  readonly maxGiven: number;
  routedCallEnds(): Promise<number[]>;
  /** What of delivery-jobs has a destination's jobs that were accepted since then (Unix ms). */
  jobStretches(destinationId: string, fromMs: number | undefined): Promise<ReplayStretch[]>;
}

/** 16 bytes for each. */
export const MAX_GIVEN = 1_000_000;
const INDEX_LOOK_MS = 1_000;
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
  while (!(await progress.untilCovers("routedCalls", ends, INDEX_LOOK_MS))) signal.throwIfAborted();
  const given = await readGiven(parts, replay, signal);
  return {
    async was(call, spot) {
      const { anonymousId, messageId, sourceId, userId } = call;
      const asked = { messageId, sourceId, user: { userId, anonymousId } };
      const said = wasSaid(await index.listRoutedCalls(asked, MAX_SAID), destinationId, placeOf(spot));
      if (said !== "missing") return said;
      const id = deliveryJobId(call, destinationId);
      if (given.elsewhere.has(id)) return "sent";
      return given.here.has(id) ? "written" : "missing";
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

interface Given {
  /** By this replay. */
  readonly here: IdSet;
  readonly elsewhere: IdSet;
}

const JOB_FIELDS = ["jobId", "replayId", "sourceId", "messageId", "userId", "anonymousId"] as const;

/** Ids that routers would have given the jobs which others than routers wrote for the destination. */
async function readGiven(
  parts: MissingCallsParts,
  { destinationId, fromMs, id }: CallReplay,
  signal: AbortSignal,
): Promise<Given> {
  const { kafka, maxGiven, serde, topic } = parts;
  const decode = serde.decodeFields(topic, JOB_FIELDS);
  const stretches = await parts.jobStretches(destinationId, fromMs ?? undefined);
  const most = Math.min(recordsOf(stretches), maxGiven);
  const given: Given = { here: new IdSet(most), elsewhere: new IdSet(most) };
  let left = most;
  const take = (job: Pick<DeliveryJob, (typeof JOB_FIELDS)[number]>): void => {
    const routersId = deliveryJobId(job, destinationId);
    if (job.replayId === null && job.jobId === routersId) return;
    if (left === 0) throw new RangeError(`more than ${most} calls were sent again: narrow it by \`from\``);
    left -= 1;
    (job.replayId === id ? given.here : given.elsewhere).add(routersId);
  };
  const read = async (value: Buffer | null): Promise<void> => {
    try {
      take(await decode(value));
    } catch (error) {
      // Deliverers could not read it either.
      if (!isUndecodable(error)) throw error;
    }
  };
  for (const { partition, fromOffset, toOffset } of stretches)
    await kafka.readRange({
      topic: topic.name,
      ...{ partition, fromOffset, toOffset, signal },
      onRecord: (record) => (isOfDestination(destinationId, record) ? read(record.value) : undefined),
    });
  return given;
}
