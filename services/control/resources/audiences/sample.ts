// Some of the profiles, evenly spread over all.
import { type Subject, subjectOf } from "#audiences";
import { idsBehind } from "../../records/profiles/next-ids.ts";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import type { Pause } from "../../records/profiles/slices.ts";
import type { MemberParts } from "./member-parts.ts";

/** Ids that are read at a time: of more than one profile passed over for each judged, more. */
const JUDGED_AT_A_TIME = 100;
const PASSED_AT_A_TIME = 2_000;

/** Somebody waits for the answer. */
export const MAX_MS = 5_000;

export interface Look {
  /** Of more than so many profiles every second, third, … is looked at. */
  readonly most: number;
  /** By the host's clock. */
  readonly endMs: number;
  /** Of accounts those alone, which are few among the profiles of users. */
  readonly of: Subject;
  readonly pause: Pause;
}

/** What was looked at. */
export interface Looked {
  /** How many profiles there are, or accounts. */
  readonly total: number;
  readonly judged: number;
  /** Evenly spread over all of them; false where the time was over before that. */
  readonly isSpread: boolean;
  /** All of them. */
  readonly isWhole: boolean;
}

type Parts = Pick<MemberParts, "host" | "profiles">;

/** Has some of the profiles looked at, in slices. */
export async function lookAtSome(
  parts: Parts,
  { endMs, most, of, pause }: Look,
  look: (partition: number, id: string) => Promise<void>,
): Promise<Looked> {
  const { host, profiles } = parts;
  const counted = of === "users" ? profiles.count : await countOf(parts, { of, endMs, pause });
  const total = counted ?? profiles.count;
  let [judged, passed] = [0, 0];
  const looked = (): Looked => {
    const isSpread = counted !== undefined && passed >= total;
    return { total, judged, isSpread, isWhole: isSpread && judged >= total };
  };
  for (const { partition, ids } of strided(profiles, Math.max(1, Math.ceil(total / most)), of)) {
    for (const id of ids.taken) {
      await pause();
      if (host.elapsed() > endMs) return looked();
      await look(partition, id);
      judged += 1;
    }
    // Those of a stride that was broken off do not count.
    passed += ids.passed;
    await pause();
    if (host.elapsed() > endMs) return looked();
  }
  return looked();
}

/** Undefined when the time was over before. */
async function countOf(
  { host, profiles }: Parts,
  { endMs, of, pause }: Pick<Look, "endMs" | "of" | "pause">,
): Promise<number | undefined> {
  let count = 0;
  for (const { ids } of strided(profiles, 1, of)) {
    count += ids.passed;
    await pause();
    if (host.elapsed() > endMs) return undefined;
  }
  return count;
}

interface Stride {
  readonly partition: number;
  readonly ids: { readonly taken: readonly string[]; readonly passed: number };
}

/** Every `step`th id of all partitions, some at a time: neither the oldest nor the first by name alone. */
function* strided(profiles: ProfileReader, step: number, of: Subject): Generator<Stride> {
  const isOfAll = of === "users";
  const most = isOfAll ? Math.min(PASSED_AT_A_TIME, JUDGED_AT_A_TIME * step) : PASSED_AT_A_TIME;
  let place = 0;
  for (let partition = 0; partition < profiles.partitions; partition += 1)
    for (const ids of idsBehind(profiles, partition, { most })) {
      const meant = isOfAll ? ids : ids.filter((id) => subjectOf(id) === of);
      const taken = meant.filter((_, index) => (place + index) % step === 0);
      place += meant.length;
      yield { partition, ids: { taken, passed: meant.length } };
    }
}
