// Compares what computations come to with what was sent, and notes what has changed.
import type { Computation } from "./computation.ts";
import type { ComputationSet } from "./computation-set.ts";
import { evaluateComputation, type Moment } from "./evaluate.ts";
import { mayHave } from "./incomplete.ts";
import { noteStep, type Profile, type Result } from "./profile.ts";
import { sentAlong } from "./sent-along.ts";
import { resultBytes } from "./size.ts";
import { isSilenced } from "./suppression.ts";

/** Of JSON texts: what is not sent as the first value. */
const EMPTY: ReadonlySet<string> = new Set(["false", "null", "0", "[]"]);

/** Whether a value is sent to whom none was sent before (contract 8.2). */
export function isSentFirst(value: unknown): boolean {
  return !EMPTY.has(textOf(value));
}

/** What a newer version has sent is not taken back by one of before, that holds again while a leaf of the newer one is counted anew. */
function isInForce({ generation, id, isEarlier = false, state }: Computation, { results }: Profile): boolean {
  return state === "live" && !(isEarlier && (results.get(id)?.generation ?? 0) > generation);
}

function isFor(computation: Computation, profile: Profile): boolean {
  return isInForce(computation, profile) && mayHave(computation, profile);
}

function createResult(profile: Profile, { generation, id }: Pick<Computation, "id" | "generation">): Result {
  const result: Result = { text: "", seq: 0, sinceMs: 0, generation, deadlineMs: Number.POSITIVE_INFINITY };
  profile.results.set(id, result);
  profile.sizeBytes += resultBytes(result);
  return result;
}

/** Notes the value as sent, if it is another one than before (contract 8.2, 8.3). */
export function setValue(
  profile: Profile,
  computation: Pick<Computation, "id" | "generation" | "sends">,
  text: string,
  nowMs: number,
): void {
  const isFirst = (profile.results.get(computation.id)?.seq ?? 0) === 0;
  if (isFirst && EMPTY.has(text)) return;
  const result = profile.results.get(computation.id) ?? createResult(profile, computation);
  if (result.text === text) return;
  if (text === "true") noteStep(profile, computation.id, 1);
  else if (result.text === "true") noteStep(profile, computation.id, -1);
  profile.sizeBytes -= resultBytes(result);
  result.text = text;
  profile.sizeBytes += resultBytes(result);
  result.seq += 1;
  result.generation = computation.generation;
  // Receivers order changes by their times: later than the one before, also within one millisecond.
  result.sinceMs = Math.max(nowMs, result.sinceMs + 1, profile.changedUntilMs + 1);
  const { generation, seq, sinceMs } = result;
  const along = sentAlong(profile, computation.sends);
  profile.outbox.push({ computationId: computation.id, generation, seq, text, atMs: sinceMs, ...along });
}

/** Whether the profile's next deadline may be another one now. */
function setDeadline(profile: Profile, computation: Computation, untilMs: number): boolean {
  const known = profile.results.get(computation.id);
  if (known === undefined && untilMs === Number.POSITIVE_INFINITY) return false;
  const result = known ?? createResult(profile, computation);
  const wasNext = result.deadlineMs === profile.nextDeadlineMs && untilMs > result.deadlineMs;
  result.deadlineMs = untilMs;
  if (untilMs < profile.nextDeadlineMs) profile.nextDeadlineMs = untilMs;
  return wasNext;
}

export function findNextDeadline(profile: Profile): void {
  let nextMs = Number.POSITIVE_INFINITY;
  // Of a suppressed user nothing ends until that is over: then all is evaluated.
  if (!isSilenced(profile))
    for (const { deadlineMs } of profile.results.values()) if (deadlineMs < nextMs) nextMs = deadlineMs;
  profile.nextDeadlineMs = nextMs;
}

/** As JSON, mostly of a membership. */
function textOf(value: unknown): string {
  if (typeof value === "boolean") return value ? "true" : "false";
  return JSON.stringify(value);
}

/** Evaluates the computations at one moment; what has changed goes to the outbox. Of a suppressed user nothing does. */
export function settle(profile: Profile, computations: Iterable<Computation>, nowMs: number): void {
  if (isSilenced(profile)) return;
  const moment: Moment = { profile, nowMs };
  let isStale = false;
  for (const computation of computations) {
    if (!isFor(computation, profile)) continue;
    const { untilMs, value } = evaluateComputation(computation, moment);
    setValue(profile, computation, textOf(value), nowMs);
    isStale = setDeadline(profile, computation, untilMs) || isStale;
  }
  if (isStale) findNextDeadline(profile);
}

/** Computations whose deadline has come. */
export function dueComputations(profile: Profile, set: ComputationSet, nowMs: number): Computation[] {
  const due: Computation[] = [];
  if (profile.nextDeadlineMs > nowMs) return due;
  for (const [id, result] of profile.results) {
    if (result.deadlineMs > nowMs) continue;
    const computation = set.computations.get(id);
    if (computation !== undefined && isInForce(computation, profile)) due.push(computation);
    // Paused, gone, or of before: it is evaluated when it is resumed, or the newer one is counted.
    else result.deadlineMs = Number.POSITIVE_INFINITY;
  }
  if (due.length === 0) findNextDeadline(profile);
  return due;
}
