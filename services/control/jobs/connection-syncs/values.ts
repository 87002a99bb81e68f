// Values that the destination is given, and how its record keeps those that may be written or not.
import type { AudienceConfig, ConnectionSync, ProfileResult, UnsureValue } from "#topics";
import type { SentState } from "../../records/profiles/replica.ts";
import type { JobEnds } from "./job-log.ts";

/** One value of one profile. */
export interface CurrentValue {
  readonly profileId: string;
  readonly incarnation: number;
  readonly result: ProfileResult;
  readonly audience: AudienceConfig;
  /** An older one was written behind it: a receiver that knows its message id shall not pass it over. */
  readonly isCorrection: boolean;
}

export interface Change {
  readonly before: CurrentValue;
  readonly now: CurrentValue;
}

/** The value as it is now, when it has changed. Of a deleted or merged profile nothing more is sent. */
export function changeOf(value: CurrentValue, state: SentState | undefined): CurrentValue | undefined {
  const { audience, result } = value;
  const now = state?.results.find(({ computationId }) => computationId === audience.id);
  if (state === undefined || state.redirectTo !== null || now === undefined || now.text === "")
    return undefined;
  if (now.seq === result.seq && state.incarnation === value.incarnation) return undefined;
  return { ...value, incarnation: state.incarnation, result: now, isCorrection: true };
}

export function unsureOf({ incarnation, isCorrection, profileId, result }: CurrentValue): UnsureValue {
  const { computationId, generation, seq } = result;
  return { profileId, incarnation, computationId, generation, seq, isCorrection };
}

/** The value as far as its message id follows from it: what was given is not known any more. */
export function valueIn(
  { computationId, generation, seq, ...of }: UnsureValue,
  audience: AudienceConfig,
): CurrentValue {
  const result = { computationId, generation, seq, text: "", sinceMs: 0, deadlineMs: null };
  return { ...of, audience, result };
}

export function endsIn({ jobEnds }: Pick<ConnectionSync, "jobEnds">): JobEnds {
  return new Map(jobEnds.map((end, partition) => [partition, end]));
}

export function jobEndsOf(ends: JobEnds): number[] {
  return Array.from({ length: ends.size }, (_, partition) => ends.get(partition) ?? 0);
}
