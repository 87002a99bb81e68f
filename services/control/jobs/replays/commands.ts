// What the API does with replays, whoever asks.
import type { Static } from "typebox";
import { parseTimestamp } from "#contract";
import type { Replay } from "#topics";
import { filterOf } from "../../deliveries/dead-letters/selection.ts";
import { notFound, ProblemError } from "../../http/problem.ts";
import { refusedBy } from "../../http/validation.ts";
import { callReplayOf, callReplayProblems } from "./call-request.ts";
import type { CallReplayBody } from "./call-schemas.ts";
import type { CallReplayParts, ReplayParts } from "./parts.ts";
import { replayOf, replayProblems } from "./request.ts";
import type { ReplayBody } from "./schemas.ts";

/** Called with what is about to be written; it is not when this rejects. */
export type Noting = (replay: Replay) => Promise<void>;
const nobody: Noting = async () => undefined;

/** A person or program is waiting. */
const INDEXED_WITHIN_MS = 5_000;

/**
 * Durable when it resolves. Whatever has died until now is meant, so the index has to know it. Rejects with a ProblemError for what may
 * not be asked, and while the index is behind; with a KafkaError when it is not known whether the replay was begun.
 */
export async function startReplay(
  parts: ReplayParts,
  body: Static<typeof ReplayBody>,
  noted: Noting = nobody,
): Promise<Replay> {
  const { deliveries, destinations, ids, replays } = parts;
  const { index, progress } = deliveries;
  const ends = await parts.deadLetterEnds();
  if (!(await progress.untilCovers("deadLetters", ends, INDEXED_WITHIN_MS)))
    throw new ProblemError("unavailable", "the dead letters are still being indexed; nothing was begun");
  const nowMs = parts.nowMs();
  const problems = replayProblems(body, {
    nowMs,
    destination: (id) => destinations.get(id),
    deadLetter: (id) => index.findDeadLetter(id),
  });
  if (problems.length > 0) throw refusedBy([], problems);
  const replay = replayOf(body, { id: ids.newReplayId(), ends, nowMs });
  const count = (replayable: boolean): number => index.countDeadLetters({ ...filterOf(replay), replayable });
  const counted = {
    ...replay,
    matched: replay.ids?.length ?? count(true),
    skipped: replay.ids === null ? count(false) : 0,
  };
  await noted(counted);
  await replays.putVisibly(counted);
  return counted;
}

/** Durable when it resolves. Rejects as `startReplay` does. */
export async function startCallReplay(
  parts: CallReplayParts,
  body: Static<typeof CallReplayBody>,
  noted: Noting = nobody,
): Promise<Replay> {
  const { destinations, ids, replays } = parts;
  const nowMs = parts.nowMs();
  const problems = callReplayProblems(body, { destination: (id) => destinations.get(id), nowMs });
  if (problems.length > 0) throw refusedBy([], problems);
  const stretches = await parts.jobStretches(body.destinationId, parseTimestamp(body.from));
  const replay = callReplayOf(body, { id: ids.newReplayId(), stretches, nowMs });
  await noted(replay);
  await replays.putVisibly(replay);
  return replay;
}

/** Durable when it resolves: what was not sent again yet stays a dead letter. */
export async function cancelReplay(parts: ReplayParts, id: string, noted: Noting = nobody): Promise<Replay> {
  const replay = existingReplay(parts, id);
  if (replay.state !== "running") throw new ProblemError("conflict", `the replay is ${replay.state}`);
  const cancelled = { ...replay, state: "cancelled", updatedAtMs: parts.nowMs() };
  await noted(cancelled);
  await parts.replays.putVisibly(cancelled);
  return cancelled;
}

export function existingReplay({ replays }: Pick<ReplayParts, "replays">, id: string): Replay {
  const replay = replays.get(id);
  if (replay === undefined && !replays.isLoaded)
    throw new ProblemError("unavailable", "the replays are still being read");
  if (replay === undefined) throw notFound("replay", id);
  return replay;
}
