// Some of the profiles, evenly spread over all.
import type { ProfileReader } from "../../records/profiles/replica.ts";
import type { MemberParts } from "./member-parts.ts";

/** Ids that are read at a time: of more than one profile passed over for each judged, more. */
const JUDGED_AT_A_TIME = 100;
const PASSED_AT_A_TIME = 2_000;

/** Somebody waits for the answer. */
const MAX_MS = 5_000;

/** What was looked at. */
export interface Looked {
  /** How many profiles there are. */
  readonly total: number;
  readonly judged: number;
  /** Evenly spread over all of them; false where the time was over before that. */
  readonly isSpread: boolean;
  /** All of them. */
  readonly isWhole: boolean;
}

/** Has every profile looked at, or of more than `most` every second, third, …; for five seconds at most. `look` pauses by itself. */
export async function lookAtSome(
  { host, profiles }: Pick<MemberParts, "host" | "profiles">,
  most: number,
  look: (partition: number, id: string) => Promise<void>,
): Promise<Looked> {
  const total = profiles.count;
  const endMs = host.elapsed() + MAX_MS;
  let [judged, passed] = [0, 0];
  const looked = (): Looked => {
    const isSpread = passed >= total;
    return { total, judged, isSpread, isWhole: isSpread && judged >= total };
  };
  for (const { partition, ids } of strided(profiles, Math.max(1, Math.ceil(total / most)))) {
    for (const id of ids.taken) {
      if (host.elapsed() > endMs) return looked();
      await look(partition, id);
      judged += 1;
    }
    // Those of a stride that was broken off do not count.
    passed += ids.passed;
  }
  return looked();
}

interface Stride {
  readonly partition: number;
  readonly ids: { readonly taken: readonly string[]; readonly passed: number };
}

/** Every `step`th id of all partitions, some at a time: neither the oldest nor the first by name alone. */
function* strided(profiles: ProfileReader, step: number): Generator<Stride> {
  const many = Math.min(PASSED_AT_A_TIME, JUDGED_AT_A_TIME * step);
  for (let partition = 0; partition < profiles.partitions; partition += 1) {
    let after: string | undefined;
    for (let ids = firstIds(profiles, partition, { after, many }); ids.length > 0; ) {
      const taken = ids.filter((_, index) => index % step === 0);
      yield { partition, ids: { taken, passed: ids.length } };
      after = ids.at(-1);
      ids = firstIds(profiles, partition, { after, many });
    }
  }
}

function firstIds(
  profiles: ProfileReader,
  partition: number,
  { after, many }: { readonly after: string | undefined; readonly many: number },
): string[] {
  const ids: string[] = [];
  for (const id of profiles.ids(partition, after)) {
    ids.push(id);
    if (ids.length === many) break;
  }
  return ids;
}
