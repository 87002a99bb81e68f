import { replayJobId } from "#contract";
import type { DeadLetter, DeliveryJob, Replay } from "#topics";
import { isUntried } from "./job-events.ts";
import type { Story, Written } from "./story.ts";

/** A replay from its first record to its last one. */
export interface ReplayLife {
  readonly id: string;
  /** As it was asked for. */
  readonly asked: Written<Replay>;
  readonly last: Written<Replay>;
  /** What it means, in the order of the topic. */
  readonly letters: readonly Written<DeadLetter>[];
  /** By the id of a letter that it means: the jobs that it became, as they were written for the first time and again. */
  readonly sent: ReadonlyMap<string, readonly Written<DeliveryJob>[]>;
}

/** A crash of a deliverer can write one twice, under one id: the first is meant. */
function firstCopies({ deadLetters }: Story): Written<DeadLetter>[] {
  const seen = new Set<string>();
  return deadLetters.filter(({ value }) => {
    const isFirst = !seen.has(value.id);
    seen.add(value.id);
    return isFirst;
  });
}

function isMeant({ value: letter, record }: Written<DeadLetter>, replay: Replay): boolean {
  if (letter.messageId === null) return false;
  if (replay.ids !== null) return replay.ids.includes(letter.id);
  return (
    record.offset < (replay.ends[record.partition] ?? 0) &&
    letter.destinationId === replay.destinationId &&
    (replay.reason === null || letter.reason === replay.reason) &&
    letter.deadAtMs >= (replay.fromMs ?? 0) &&
    letter.deadAtMs < (replay.toMs ?? Number.POSITIVE_INFINITY)
  );
}

/** Of calls, not of dead letters. */
export function isOfCalls({ asked }: ReplayLife): boolean {
  return (asked.value.calls ?? null) !== null;
}

/** As control writes them: nobody has tried them yet. */
export function replayJobs({ jobs }: Story): Written<DeliveryJob>[] {
  return jobs.filter((job) => job.value.replayId !== null && isUntried(job));
}

/** Every replay that was written, by its id. */
export function replayLives(story: Story): ReadonlyMap<string, ReplayLife> {
  const letters = firstCopies(story);
  const jobs = Map.groupBy(replayJobs(story), ({ value }) => value.jobId);
  const versions = Map.groupBy(story.replays, ({ value }) => value.id);
  return new Map(
    [...versions].flatMap(([id, [asked, ...later]]) => {
      if (asked === undefined) return [];
      const meant = letters.filter((letter) => isMeant(letter, asked.value));
      const sent = new Map(meant.map(({ value }) => [value.id, jobs.get(replayJobId(value.id, id)) ?? []]));
      return [[id, { id, asked, last: later.at(-1) ?? asked, letters: meant, sent }] as const];
    }),
  );
}

/** Letters of it that became jobs. */
export function sentLetters({ sent }: ReplayLife): number {
  return [...sent.values()].filter((copies) => copies.length > 0).length;
}
