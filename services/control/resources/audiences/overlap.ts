// How many are in two audiences at once, as it was sent.
import { countError, estimateOf } from "./count-error.ts";
import type { MemberParts } from "./member-parts.ts";
import { lookAtSome, MAX_MS } from "./sample.ts";

interface Count {
  readonly count: number;
  /** As `countError` has it; 0 when every profile was looked at. */
  readonly error: number;
}

export interface Overlap {
  readonly one: Count;
  readonly other: Count;
  readonly both: Count;
  /** Every profile was looked at: the counts are no estimates. */
  readonly isExact: boolean;
  readonly profiles: number;
  readonly profilesLookedAt: number;
}

/** What was sent of a profile is read sooner than a whole profile: five times as many as of a preview. */
const MAX_LOOKED_AT = 100_000;

/** Takes five seconds at most, in slices. */
export async function overlapOf(
  parts: Pick<MemberParts, "host" | "profiles" | "slices">,
  oneId: string,
  otherId: string,
): Promise<Overlap> {
  const { host, profiles, slices } = parts;
  const pause = slices.begin();
  await pause();
  let [one, other, both] = [0, 0, 0];
  const asked = { most: MAX_LOOKED_AT, endMs: host.elapsed() + MAX_MS, of: "users", pause } as const;
  const looked = await lookAtSome(parts, asked, async (partition, id) => {
    const sent = await profiles.sentOf(partition, id);
    const isIn = (audienceId: string): boolean =>
      sent?.redirectTo === null &&
      sent.results.some(({ computationId, text }) => computationId === audienceId && text === "true");
    const [isInOne, isInOther] = [isIn(oneId), isIn(otherId)];
    if (isInOne) one += 1;
    if (isInOther) other += 1;
    if (isInOne && isInOther) both += 1;
  });
  const countOf = (members: number): Count => {
    const sampled = { ...looked, members };
    return { count: estimateOf(sampled), error: countError(sampled) };
  };
  return {
    one: countOf(one),
    other: countOf(other),
    both: countOf(both),
    isExact: looked.isWhole,
    profiles: looked.total,
    profilesLookedAt: looked.judged,
  };
}
