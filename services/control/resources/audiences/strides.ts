// Some of the profiles, evenly spread over all.
import type { ProfileReader } from "../../records/profiles/replica.ts";

/** Ids that are read at a time: of more than one profile passed over for each judged, more. */
const JUDGED_AT_A_TIME = 100;
const PASSED_AT_A_TIME = 2_000;

interface Stride {
  readonly partition: number;
  readonly ids: { readonly taken: readonly string[]; readonly passed: number };
}

/** Every `step`th id of all partitions, some at a time: neither the oldest nor the first by name alone. */
export function* strided(profiles: ProfileReader, step: number): Generator<Stride> {
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
