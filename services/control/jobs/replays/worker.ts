// Works through one replay, from where its record says it is. What becomes of a call is durable before the cursor passes it: a crash
// repeats at most the calls of one progress interval, under the same job ids.
import type { Serde } from "#serde";
import { deliveryKey, type Replay } from "#topics";
import { filterOf } from "../../deliveries/dead-letters/selection.ts";
import type { DeliveryIndex } from "../../deliveries/index/delivery-index.ts";
import type { Progress } from "../../deliveries/index/progress.ts";
import type { DeadLetterReader } from "../../records/places/place-reader.ts";
import { cursorAt, sentUpTo } from "../../records/replays/cursor.ts";
import { findCovered } from "./covered.ts";
import { jobOf, withinWidth } from "./job.ts";
import { createSaving, end, paceNow, type SendingWork } from "./progress.ts";

export interface ReplayWork extends SendingWork {
  readonly index: Pick<DeliveryIndex, "findDeadLetter" | "replayablePlaces">;
  readonly progress: Pick<Progress, "untilCovers">;
  readonly deadLetters: DeadLetterReader;
  readonly serde: Pick<Serde, "encode">;
}

/** Resolves when the replay has ended, or with `signal`. */
export async function workOn(id: string, work: ReplayWork, signal: AbortSignal): Promise<void> {
  const found = work.store.get(id);
  if (found === undefined || found.state !== "running") return;
  const covering = { progress: work.progress, kind: "deadLetters", ends: found.ends, signal } as const;
  const nextPlaces = await findCovered(() => placesOf(found, work), covering);
  let replay = found;
  const save = createSaving(replay, work);
  try {
    while (!signal.aborted) {
      const startedAtMs = work.host.elapsed();
      const pace = paceNow(replay, work);
      const places = await findCovered(() => nextPlaces(sentUpTo(replay), pace.calls), covering);
      const isCancelled = work.store.isCancelled(id);
      if (places.length === 0 || isCancelled) {
        await end(isCancelled ? replay : withGone(replay), work);
        return;
      }
      replay = await sendAgain(replay, places, { work, signal });
      await save.sometimes(replay);
      const leftMs = pace.everyMs - (work.host.elapsed() - startedAtMs);
      if (leftMs > 0) await work.host.delay(leftMs, signal).catch(() => undefined);
    }
  } finally {
    // Somebody else goes on: what was sent shall not be sent again.
    if (signal.aborted) await save.now(replay);
  }
}

/** Retention takes letters from the index before their records: what was meant and is not there any more. */
function withGone(replay: Replay): Replay {
  const { deleted, expired, matched, replayed } = replay;
  return { ...replay, expired: Math.max(expired, matched - replayed - deleted) };
}

/** Gives the next places above one, ascending. */
function placesOf(replay: Replay, { index }: ReplayWork): (above: number, limit: number) => number[] {
  if (replay.ids === null) {
    const filter = filterOf(replay);
    return (above, limit) => index.replayablePlaces(filter, { above, limit });
  }
  const places = replay.ids
    .flatMap((id) => index.findDeadLetter(id)?.place ?? [])
    .sort((one, other) => one - other);
  return (above, limit) => places.filter((place) => place > above).slice(0, limit);
}

interface Sending {
  readonly work: ReplayWork;
  readonly signal: AbortSignal;
}

/** Makes them jobs again, but for those of deleted users; gives the replay as it is when they are durable. */
async function sendAgain(
  replay: Replay,
  places: readonly number[],
  { work, signal }: Sending,
): Promise<Replay> {
  const letters = await work.deadLetters.read(places, signal);
  const kept = [...letters.values()].filter((letter) => !work.deletedUsers.isOfDeleted(letter));
  const deleted = letters.size - kept.length;
  const jobs = kept
    .flatMap((letter) => jobOf(letter, replay) ?? [])
    .map((job) => withinWidth(job, work.destination(job.destinationId)));
  await work.write(
    jobs.map((job) => ({
      topic: work.topic.name,
      key: deliveryKey(job),
      value: work.serde.encode(work.topic, job),
    })),
  );
  work.onReplayed(jobs.length);
  return {
    ...replay,
    replayed: replay.replayed + jobs.length,
    expired: replay.expired + places.length - deleted - jobs.length,
    deleted: replay.deleted + deleted,
    cursor: cursorAt(places.at(-1) ?? 0),
    updatedAtMs: work.nowMs(),
  };
}
