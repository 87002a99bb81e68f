// Which of the calls that were sent to a destination a replay means, and how far it has read; pure.
import { type CallUser, userIn, userKey } from "#contract";
import type { DeliveryJob, Replay, ReplayedCalls, ReplayStretch } from "#topics";

/** What had become of a call: dead ones failed for good, delivered ones did neither that nor wait. */
export const REPLAYED_CALLS = ["delivered", "dead", "all"] as const;

/** A replay of calls, as its record says. */
export type CallReplay = Replay & { readonly calls: ReplayedCalls; readonly destinationId: string };

export function isCallReplay(replay: Replay): replay is CallReplay {
  return replay.calls !== null && replay.destinationId !== null;
}

export function isOfOneUser({ anonymousId, userId }: CallUser): boolean {
  return userId !== null || anonymousId !== null;
}

/** What is known of a call without asking what became of it. Jobs that replays made are not meant: the call that they repeat stands before them. */
export function isSelected(job: DeliveryJob, { calls, destinationId, fromMs, toMs }: CallReplay): boolean {
  return (
    job.destinationId === destinationId &&
    job.replayId === null &&
    (calls.sourceId === null || job.sourceId === calls.sourceId) &&
    (calls.messageId === null || job.messageId === calls.messageId) &&
    (!isOfOneUser(calls) || userKey(userIn(job)) === userKey(calls)) &&
    job.receivedAtMs >= (fromMs ?? Number.NEGATIVE_INFINITY) &&
    job.receivedAtMs < (toMs ?? Number.POSITIVE_INFINITY) &&
    (calls.event === null || (job.type === "track" && eventOf(job.body) === calls.event))
  );
}

function eventOf(body: Buffer): unknown {
  return (JSON.parse(body.toString()) as Record<string, unknown>)["event"];
}

interface Spot {
  readonly partition: number;
  readonly offset: number;
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

/** Records of delivery-jobs, those of other destinations too. */
export function recordsOf(stretches: readonly ReplayStretch[]): number {
  return stretches.reduce((sum, { fromOffset, toOffset }) => sum + toOffset - fromOffset, 0);
}
