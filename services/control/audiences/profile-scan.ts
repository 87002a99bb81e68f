// All profiles, a few at a time, with what of each is asked for: in pages, or all of them.
import type { Host } from "#host";
import { refused } from "../http/problem.ts";
import type { ProfileReader, SentState } from "../profiles/replica.ts";

interface Place {
  readonly partition: number;
  /** The last id that was looked at. */
  readonly after: string | undefined;
}

interface Looked<T> {
  readonly place: Place;
  readonly found: T | undefined;
}

/** Profiles of one turn of the event loop. */
const PROFILES_A_TURN = 200;
/** Profiles that one page looks at: when few among many are found, pages are not full. */
const PROFILES_A_PAGE = 20_000;

export interface Scan<T extends object> {
  readonly profiles: ProfileReader;
  readonly host: Pick<Host, "setImmediate">;
  /** What the list has of this profile; undefined for nothing. Never asked of one that was merged into another. */
  readonly find: (id: string, sent: SentState) => T | undefined;
}

/** Every profile from there on. */
async function* look<T extends object>(
  { find, host, profiles }: Scan<T>,
  from: Place,
): AsyncGenerator<Looked<T>> {
  for (let { partition } = from; partition < profiles.partitions; partition += 1) {
    const after = partition === from.partition ? from.after : undefined;
    for (let ids = take(profiles, partition, after); ids.length > 0; ) {
      for (const id of ids) yield { place: { partition, after: id }, found: await foundOf(id, partition) };
      await new Promise<void>((resolve) => void host.setImmediate(resolve));
      ids = take(profiles, partition, ids.at(-1));
    }
  }

  async function foundOf(id: string, partition: number): Promise<T | undefined> {
    const sent = await profiles.sentOf(partition, id);
    return sent === undefined || sent.redirectTo !== null ? undefined : find(id, sent);
  }
}

/** A list, and no cursor that stays open while others are served. */
function take(profiles: ProfileReader, partition: number, after: string | undefined): string[] {
  const taken: string[] = [];
  for (const id of profiles.ids(partition, after)) {
    taken.push(id);
    if (taken.length === PROFILES_A_TURN) break;
  }
  return taken;
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

/** As RFC 4180 has it. */
export async function* csvOfScan<T extends object>(
  scan: Scan<T>,
  columns: readonly (keyof T & string)[],
  textOf: (value: T[keyof T]) => string,
): AsyncGenerator<string> {
  yield `${columns.join(",")}\r\n`;
  for await (const { found } of look(scan, readCursor(undefined)))
    if (found !== undefined) yield `${columns.map((name) => csvField(textOf(found[name]))).join(",")}\r\n`;
}

function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
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
