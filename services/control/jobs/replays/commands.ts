// What the API does with replays, whoever asks.
import type { Static } from "typebox";
import { parseTimestamp } from "#contract";
import type { Replay } from "#topics";
import { filterOf } from "../../deliveries/dead-letters/selection.ts";
import { type DryRun, dryRun } from "../../http/dry-run.ts";
import { notFound, ProblemError } from "../../http/problem.ts";
import { refreshAll } from "../../http/refresh.ts";
import { refusedBy } from "../../http/validation.ts";
import { callReplayOf, callReplayProblems } from "./call-request.ts";
import type { CallReplayBody } from "./call-schemas.ts";
import { type CallReplay, isCallReplay, isMissing, MISSING } from "./call-selection.ts";
import type { CallReplayParts, ReplayParts } from "./parts.ts";
import { type Known, replayOf, replayProblems, withDestination } from "./request.ts";
import type { ReplayBody } from "./schemas.ts";

/** Called with what is about to be written; it is not when this rejects. */
export type Noting = (replay: Replay) => Promise<void>;
const nobody: Noting = async () => undefined;

/** A person or program is waiting. */
const INDEXED_WITHIN_MS = 5_000;
const COUNTED_WITHIN_MS = 4_000;

/**
 * Durable when it resolves. Rejects with a ProblemError for what may not be asked, and while the index is behind; with a KafkaError when it
 * is not known whether the replay was begun.
 */
export async function startReplay(
  parts: ReplayParts,
  body: Static<typeof ReplayBody>,
  noted: Noting = nobody,
): Promise<Replay> {
  const replay = await askedReplay(parts, body);
  await noted(replay);
  await parts.replays.putVisibly(replay);
  return replay;
}

/** Rejects as `startReplay` does. */
export async function countReplay(parts: ReplayParts, body: Static<typeof ReplayBody>): Promise<DryRun> {
  const { matched, skipped } = await askedReplay(parts, body);
  return dryRun(matched, { isComplete: true, skipped });
}

/** With how many it matches. Whatever has died until now is meant, so the index has to know it. */
async function askedReplay(parts: ReplayParts, given: Static<typeof ReplayBody>): Promise<Replay> {
  const { deliveries, destinations, ids } = parts;
  const { index, progress } = deliveries;
  const ends = await parts.deadLetterEnds();
  if (!(await progress.untilCovers("deadLetters", ends, INDEXED_WITHIN_MS)))
    throw new ProblemError("unavailable", "the dead letters are still being indexed; nothing was begun");
  const nowMs = parts.nowMs();
  const known: Known = {
    nowMs,
    destination: (id) => destinations.get(id),
    deadLetter: (id) => index.findDeadLetter(id),
    issue: (id) => index.findIssue(id),
  };
  const body = withDestination(given, known);
  const problems = replayProblems(body, known);
  if (problems.length > 0) throw refusedBy([], problems);
  const replay = replayOf(body, { id: ids.newReplayId(), ends, nowMs });
  const count = (replayable: boolean): number => index.countDeadLetters({ ...filterOf(replay), replayable });
  return {
    ...replay,
    matched: replay.ids?.length ?? count(true),
    skipped: replay.ids === null ? count(false) : 0,
  };
}

/** Durable when it resolves. Rejects as `startReplay` does; of missing calls also while another replay sends such to their destination. */
export function startCallReplay(
  parts: CallReplayParts,
  body: Static<typeof CallReplayBody>,
  noted: Noting = nobody,
): Promise<Replay> {
  const start = async (): Promise<Replay> => {
    const replay = await askedCallReplay(parts, body);
    if (isMissing(replay)) await refuseSecond(parts, replay);
    await noted(replay);
    await parts.replays.putVisibly(replay);
    return replay;
  };
  return body.which === MISSING ? parts.changes.run(start) : start();
}

/** A second one would not know what the first one sends from then on, and would send it, too. */
async function refuseSecond(
  { host, replays }: CallReplayParts,
  { destinationId }: CallReplay,
): Promise<void> {
  await refreshAll([replays], host);
  const running = replays.list().filter(({ state }) => state === "running");
  const first = running
    .filter(isCallReplay)
    .find((one) => isMissing(one) && one.destinationId === destinationId);
  if (first === undefined) return;
  const what = `replay ${first.id} sends missing calls to destination ${destinationId}`;
  throw new ProblemError("conflict", `${what}: wait until it has ended, or cancel it`);
}

/** One after the other, in four seconds together. Rejects as `startReplay` does. */
export async function countCallReplays(
  parts: CallReplayParts,
  bodies: readonly Static<typeof CallReplayBody>[],
): Promise<DryRun[]> {
  const late = new AbortController();
  const timer = parts.host.setTimeout(() => late.abort(), COUNTED_WITHIN_MS);
  try {
    const counts: DryRun[] = [];
    for (const body of bodies)
      counts.push(await parts.countCalls(await askedCallReplay(parts, body), late.signal));
    return counts;
  } finally {
    timer.clear();
  }
}

async function askedCallReplay(
  parts: CallReplayParts,
  body: Static<typeof CallReplayBody>,
): Promise<CallReplay> {
  const { destinations, ids } = parts;
  const nowMs = parts.nowMs();
  const problems = callReplayProblems(body, { destination: (id) => destinations.get(id), nowMs });
  if (problems.length > 0) throw refusedBy([], problems);
  const fromMs = parseTimestamp(body.from);
  const stretches = await (body.which === MISSING ? parts.callStretches(fromMs) : parts.jobStretches(fromMs));
  return callReplayOf(body, { id: ids.newReplayId(), stretches, nowMs });
}

/** Durable when it resolves: what was not sent again yet stays a dead letter. */
export async function cancelReplay(parts: ReplayParts, id: string, noted: Noting = nobody): Promise<Replay> {
  // Its owner may have ended it a moment ago.
  await refreshAll([parts.replays], parts.host);
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
