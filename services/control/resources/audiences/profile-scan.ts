// All profiles, a few at a time, with what of each is asked for: in pages, or all of them.
import { csvRow } from "../../http/csv.ts";
import { refused } from "../../http/problem.ts";
import { idsBehind } from "../../records/profiles/next-ids.ts";
import type { ProfileReader, SentState } from "../../records/profiles/replica.ts";
import type { Slices } from "../../records/profiles/slices.ts";

interface Place {
  readonly partition: number;
  /** The last id that was looked at. */
  readonly after: string | undefined;
}

interface Looked<T> {
  readonly place: Place;
  readonly found: T | undefined;
}

/** Ids that are read at a time. */
const IDS_AT_A_TIME = 200;
/** Profiles that one page looks at: when few among many are found, pages are not full. */
const PROFILES_A_PAGE = 20_000;

export interface Scan<T extends object> {
  readonly profiles: ProfileReader;
  readonly slices: Pick<Slices, "begin">;
  /** What the list has of this profile; undefined for nothing. Never asked of one that was merged into another. */
  readonly find: (id: string, sent: SentState) => T | undefined;
}

/** Every profile from there on, in slices. */
async function* look<T extends object>(
  { find, profiles, slices }: Scan<T>,
  from: Place,
): AsyncGenerator<Looked<T>> {
  const pause = slices.begin();
  await pause();
  for (let { partition } = from; partition < profiles.partitions; partition += 1) {
    const after = partition === from.partition ? from.after : undefined;
    for (const ids of idsBehind(profiles, partition, { after, most: IDS_AT_A_TIME }))
      for (const id of ids) {
        yield { place: { partition, after: id }, found: await foundOf(id, partition) };
        await pause();
      }
  }

  async function foundOf(id: string, partition: number): Promise<T | undefined> {
    const sent = await profiles.sentOf(partition, id);
    return sent === undefined || sent.redirectTo !== null ? undefined : find(id, sent);
  }
}

/** The id of every profile, those that were merged into others too. */
export function* everyProfile(
  profiles: ProfileReader,
): Generator<{ readonly partition: number; readonly id: string }> {
  for (let partition = 0; partition < profiles.partitions; partition += 1)
    for (const ids of idsBehind(profiles, partition, { most: IDS_AT_A_TIME }))
      for (const id of ids) yield { partition, id };
}

export interface ScanPage<T> {
  readonly data: T[];
  readonly next: string | null;
}

/** At most `limit` of them, and fewer when many profiles had to be looked at; `next` is null at the end only. */
export async function pageOfScan<T extends object>(
  scan: Scan<T>,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<ScanPage<T>> {
  const data: T[] = [];
  let looked = 0;
  for await (const { found, place } of look(scan, readCursor(after))) {
    looked += 1;
    if (found !== undefined) data.push(found);
    if (data.length === limit || looked === PROFILES_A_PAGE) return { data, next: cursorOf(place) };
  }
  return { data, next: null };
}

/** All of them, a row each. */
export async function* csvOfScan<T extends object>(
  scan: Scan<T>,
  columns: readonly (keyof T & string)[],
  cellOf: (value: T[keyof T]) => string,
): AsyncGenerator<string> {
  yield csvRow(columns);
  for await (const { found } of look(scan, readCursor(undefined)))
    if (found !== undefined) yield csvRow(columns.map((name) => cellOf(found[name])));
}

function cursorOf({ after = "", partition }: Place): string {
  return Buffer.from(`${partition}:${after}`).toString("base64url");
}

function readCursor(cursor: string | undefined): Place {
  if (cursor === undefined) return { partition: 0, after: undefined };
  const [, partition, after] = /^(\d{1,6}):(.+)$/s.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (partition === undefined || after === undefined)
    throw refused([{ path: "after", message: "is not a cursor that this list gave" }]);
  return { partition: Number(partition), after };
}
