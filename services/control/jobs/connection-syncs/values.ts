// Values that the destination is given, and how its record keeps those that may be written or not.
import { traitsAlong } from "#audiences";
import type { AudienceConfig, ConnectionSync, ProfileResult, UnsureValue } from "#topics";
import type { ProfileReader, SentState } from "../../records/profiles/replica.ts";
import type { JobEnds } from "./job-log.ts";

/** One value of one profile. */
export interface CurrentValue {
  readonly profileId: string;
  readonly incarnation: number;
  readonly result: ProfileResult;
  readonly audience: AudienceConfig;
  /** JSON object of the traits that go along, as they are by now; empty when there are none. */
  readonly traits: string;
  /** An older one was written behind it: a receiver that knows its message id shall not pass it over. */
  readonly isCorrection: boolean;
}

export interface Change {
  readonly before: CurrentValue;
  readonly now: CurrentValue;
}

/** The value as it is now, when it has changed. Of a deleted or merged profile nothing more is sent. */
function changeOf(value: CurrentValue, state: SentState | undefined): CurrentValue | undefined {
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
  return { ...of, audience, result, traits: "" };
}

export function endsIn({ jobEnds }: Pick<ConnectionSync, "jobEnds">): JobEnds {
  return new Map(jobEnds.map((end, partition) => [partition, end]));
}

export function jobEndsOf(ends: JobEnds): number[] {
  return Array.from({ length: ends.size }, (_, partition) => ends.get(partition) ?? 0);
}

/** The values of one profile with the traits that go along; the profile is read as a whole only where some do. */
export async function withTraits(
  values: readonly CurrentValue[],
  profiles: Pick<ProfileReader, "get">,
): Promise<readonly CurrentValue[]> {
  const [first] = values.filter(
    ({ audience }) => audience.kind !== "trait" && audience.sentTraits.length > 0,
  );
  if (first === undefined) return values;
  const profile = await profiles.get(first.profileId);
  if (profile === undefined) return values;
  return values.map((value) => ({ ...value, traits: traitsAlong(profile, value.audience.sentTraits) }));
}

/** Those of one partition that have changed since, with the traits of now. */
export async function changesSince(
  values: readonly CurrentValue[],
  profiles: Pick<ProfileReader, "get" | "sentOf">,
  partition: number,
): Promise<Change[]> {
  const changes: Change[] = [];
  for (const before of values) {
    const now = changeOf(before, await profiles.sentOf(partition, before.profileId));
    if (now === undefined) continue;
    const [given = now] = await withTraits([now], profiles);
    changes.push({ before, now: given });
  }
  return changes;
}
