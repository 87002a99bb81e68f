// What a replay of calls makes of each record that it reads: the worker sends what is meant, a dry run counts it.
import { whyNotTaken } from "#audiences";
import type { RawRecord } from "#kafka";
import type { Serde } from "#serde";
import { type Call, type DeliveryJob, type DestinationConfig, deliveryJob, type Topic } from "#topics";
import { decodedIfReadable } from "../../records/places/undecodable.ts";
import type { Pause } from "../../records/profiles/slices.ts";
import type { DeletedUsers } from "../../resources/regulations/deleted-users.ts";
import {
  type CallReplay,
  CannotGoOn,
  isMeant,
  isMissing,
  isOfDestination,
  isOfSource,
  isSelected,
  isSelectedJob,
} from "./call-selection.ts";
import { againOf, withinWidth } from "./job.ts";
import type { MissingCalls } from "./missing-calls.ts";
import type { SettledCalls } from "./settled-calls.ts";

/** What a record is; `written`: its job was written by an owner of the replay before, who did not come to say so. */
export type Judged =
  | { readonly kind: "not_meant" | "unclear" | "deleted" | "written" }
  | { readonly kind: "meant"; readonly job: DeliveryJob };

type Valued = Pick<RawRecord, "partition" | "offset" | "timestampMs"> & { readonly value: Buffer };

export interface Candidates {
  /** What the replay's stretches are of. */
  readonly topicName: string;
  /** By its key alone: of a topic that others share most are theirs. Throws a CannotGoOn where missing calls have nowhere to go, as `judge` does. */
  isOurs(record: Pick<RawRecord, "key" | "value">): boolean;
  judge(record: Valued): Promise<Judged>;
}

export interface CandidateWork {
  readonly serde: Pick<Serde, "decode">;
  /** Of delivery-jobs. */
  readonly topic: Topic<"delivery-job">;
  readonly calls: Topic<"call">;
  readonly deletedUsers: Pick<DeletedUsers, "isOfDeleted">;
  readonly destination: (id: string) => DestinationConfig | undefined;
  findSettled(replay: CallReplay, signal: AbortSignal): Promise<SettledCalls>;
  findMissing(replay: CallReplay, signal: AbortSignal): Promise<MissingCalls>;
  /** Filters take long. */
  beginSlices(): Pause;
}

/** Resolves when what became of calls can be asked. Rejects with `signal`, and with a CannotGoOn where there is too much to keep in memory. */
export async function openCandidates(
  replay: CallReplay,
  work: CandidateWork,
  signal: AbortSignal,
): Promise<Candidates> {
  return isMissing(replay)
    ? missingCandidates(replay, work, await work.findMissing(replay, signal))
    : sentCandidates(replay, work, await work.findSettled(replay, signal));
}

const NOT_MEANT: Judged = { kind: "not_meant" };
const UNCLEAR: Judged = { kind: "unclear" };

/** Jobs that the destination had. */
function sentCandidates(replay: CallReplay, work: CandidateWork, settled: SettledCalls): Candidates {
  const { deletedUsers, destination, serde, topic } = work;
  return {
    topicName: topic.name,
    isOurs: (record) => isOfDestination(replay.destinationId, record),
    async judge(record) {
      const job = await decodedIfReadable(serde, topic, record.value);
      if (job === undefined) return UNCLEAR;
      if (!isSelectedJob(job, replay) || !isMeant(replay, await settled.became(job, record)))
        return NOT_MEANT;
      if (deletedUsers.isOfDeleted(job)) return { kind: "deleted" };
      const again = againOf(job, replay);
      return { kind: "meant", job: withinWidth(again, destination(again.destinationId)) };
    },
  };
}

/** Calls that the destination never had, and would get if they came now. */
function missingCandidates(replay: CallReplay, work: CandidateWork, missing: MissingCalls): Candidates {
  const { calls: topic, deletedUsers, serde } = work;
  const pause = work.beginSlices();
  // What is read meanwhile would be passed over: nobody would know that it is still missing.
  const connected = (): DestinationConfig => {
    const found = work.destination(replay.destinationId);
    if (found?.enabled === true) return found;
    const what = found === undefined ? "deleted" : "switched off: switch it on, and begin a new replay";
    throw new CannotGoOn(`destination ${replay.destinationId} was ${what}`);
  };
  const judge = async (call: Call, record: Valued): Promise<Judged> => {
    const destination = connected();
    if (!destination.sourceIds.includes(call.sourceId)) return NOT_MEANT;
    if (!isSelected(call, replay)) return NOT_MEANT;
    await pause();
    const was = await missing.was(call, record);
    if (was === "unknown") return UNCLEAR;
    if (was === "sent" || whyNotTaken(call, destination) !== undefined) return NOT_MEANT;
    if (deletedUsers.isOfDeleted(call)) return { kind: "deleted" };
    if (was === "written") return { kind: "written" };
    return { kind: "meant", job: againOf(deliveryJob(call, destination), replay) };
  };
  return {
    topicName: topic.name,
    isOurs: (record) => isOfSource(connected().sourceIds, replay.calls.sourceId, record),
    async judge(record) {
      const call = await decodedIfReadable(serde, topic, record.value);
      return call === undefined ? UNCLEAR : judge(call, record);
    },
  };
}
