import type { ProfileReader } from "./replica.ts";

interface Some {
  readonly after?: string | undefined;
  readonly most: number;
}

/** The first ids of a partition behind one. A list, and no cursor that stays open while others are served. */
export function nextIds(
  profiles: Pick<ProfileReader, "ids">,
  partition: number,
  { after, most }: Some,
): string[] {
  const ids: string[] = [];
  for (const id of profiles.ids(partition, after)) {
    ids.push(id);
    if (ids.length === most) break;
  }
  return ids;
}

/** All of them, some at a time. */
export function* idsBehind(
  profiles: Pick<ProfileReader, "ids">,
  partition: number,
  { after, most }: Some,
): Generator<readonly string[]> {
  for (let ids = nextIds(profiles, partition, { after, most }); ids.length > 0; ) {
    yield ids;
    ids = nextIds(profiles, partition, { after: ids.at(-1), most });
  }
}
