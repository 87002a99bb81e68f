// Which calls of a destination a replay means, and how far it has read; pure.
import { type CallUser, userIn, userKey } from "#contract";
import type { RawRecord } from "#kafka";
import type { Call, DeliveryJob, Replay, ReplayedCalls, ReplayStretch } from "#topics";
import type { Spot } from "../../records/places/places.ts";

/** What had become of a call: dead ones failed for good, delivered ones did neither that nor wait. */
const SENT_CALLS = ["delivered", "dead", "all"] as const;
/** Missing ones were never sent to the destination, which would get them if they came now. */
export const MISSING = "missing";
export const REPLAYED_CALLS = [...SENT_CALLS, MISSING] as const;

export type Became = "delivered" | "dead" | "pending";

/** A replay of calls, as its record says. */
export type CallReplay = Replay & { readonly calls: ReplayedCalls; readonly destinationId: string };

export function isCallReplay(replay: Replay): replay is CallReplay {
  return replay.calls !== null && replay.destinationId !== null;
}

export function isMissing({ calls: { which } }: { readonly calls: Pick<ReplayedCalls, "which"> }): boolean {
  return which === MISSING;
}

function isOfOneUser({ anonymousId, userId }: CallUser): boolean {
  return userId !== null || anonymousId !== null;
}

/** One call by all that tells it from others (contract 1.8): a destination had it once. */
export function isOfOneCall({ calls }: Pick<CallReplay, "calls">): boolean {
  return calls.sourceId !== null && calls.messageId !== null && isOfOneUser(calls);
}

/** Why a replay ends before its end, as its record says. Trying again would mostly find the same. */
export class CannotGoOn extends Error {
  override readonly name = "CannotGoOn";
}

type Asked = Pick<CallReplay, "calls" | "fromMs" | "toMs">;
type Selected = Pick<Call, "sourceId" | "messageId" | "type" | "receivedAtMs" | "userId" | "anonymousId"> & {
  readonly body: Buffer;
  /** Of a track call; undefined: its body says it. */
  readonly event?: string | null;
};

/** What is known of a call without asking what became of it. */
export function isSelected(call: Selected, { calls, fromMs, toMs }: Asked): boolean {
  return (
    (calls.sourceId === null || call.sourceId === calls.sourceId) &&
    (calls.messageId === null || call.messageId === calls.messageId) &&
    (!isOfOneUser(calls) || userKey(userIn(call)) === userKey(calls)) &&
    call.receivedAtMs >= (fromMs ?? Number.NEGATIVE_INFINITY) &&
    call.receivedAtMs < (toMs ?? Number.POSITIVE_INFINITY) &&
    (calls.event === null || (call.type === "track" && (call.event ?? eventOf(call.body)) === calls.event))
  );
}

/** Jobs that replays made are not meant: the call that they repeat stands before them. */
export function isSelectedJob(job: DeliveryJob, replay: CallReplay): boolean {
  return job.destinationId === replay.destinationId && job.replayId === null && isSelected(job, replay);
}

/** As far as what became of it goes. What waits is sent anyway and never meant. */
export function isMeant({ calls: { which } }: CallReplay, became: Became): boolean {
  return became !== "pending" && (which === "all" || which === became);
}

/** Of a record in a partition that destinations share, told by its key. */
export function isOfDestination(
  destinationId: string,
  { key, value }: Pick<RawRecord, "key" | "value">,
): boolean {
  return value !== null && key?.startsWith(`${destinationId}:`) === true;
}

/** Of a record of calls, told by its key: of the one source, or else of any of these. */
export function isOfSource(
  sourceIds: readonly string[],
  sourceId: string | null,
  { key, value }: Pick<RawRecord, "key" | "value">,
): boolean {
  const of = key?.slice(0, key.indexOf(":"));
  return (
    value !== null && of !== undefined && (sourceId === null || of === sourceId) && sourceIds.includes(of)
  );
}

function eventOf(body: Buffer): unknown {
  return (JSON.parse(body.toString()) as Record<string, unknown>)["event"];
}

function cursorSpot({ cursor }: Pick<Replay, "cursor">): Spot | undefined {
  const [, partition, offset] = /^(\d+):(\d+)$/.exec(cursor ?? "") ?? [];
  return partition === undefined || offset === undefined
    ? undefined
    : { partition: Number(partition), offset: Number(offset) };
}

/** What is still to be read, in the order in which it is: behind the cursor. */
export function stretchesLeft(replay: CallReplay): ReplayStretch[] {
  const read = cursorSpot(replay);
  if (read === undefined) return replay.calls.stretches;
  return replay.calls.stretches.flatMap((stretch) => {
    if (stretch.partition < read.partition) return [];
    const { fromOffset, toOffset } = stretch;
    const next = stretch.partition === read.partition ? Math.max(fromOffset, read.offset + 1) : fromOffset;
    return next < toOffset ? [{ ...stretch, fromOffset: next }] : [];
  });
}

/** Records of the topic that is read, those of others too. */
export function recordsOf(stretches: readonly ReplayStretch[]): number {
  return stretches.reduce((sum, { fromOffset, toOffset }) => sum + toOffset - fromOffset, 0);
}
