// Who is in an audience, as it was sent: looked up in the copy of the profiles, a few at a time.
import { ownerOf } from "#audiences";
import type { Host } from "#host";
import { refused } from "../http/problem.ts";
import { isoTime } from "../http/time-pages.ts";
import type { ProfileReader } from "../profiles/replica.ts";

interface Member {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly since: string;
}

interface Place {
  readonly partition: number;
  /** The last id that was looked at. */
  readonly after: string | undefined;
}

interface Looked {
  readonly place: Place;
  readonly member: Member | undefined;
}

/** Profiles of one turn of the event loop. */
const PROFILES_A_TURN = 200;
/** Profiles that one page looks at: an audience of few among many has pages that are not full. */
const PROFILES_A_PAGE = 20_000;

export interface Scan {
  readonly profiles: ProfileReader;
  readonly host: Pick<Host, "setImmediate">;
  readonly audienceId: string;
}

/** Every profile from there on, with what it is to the audience. */
async function* look({ audienceId, host, profiles }: Scan, from: Place): AsyncGenerator<Looked> {
  for (let { partition } = from; partition < profiles.partitions; partition += 1) {
    const after = partition === from.partition ? from.after : undefined;
    for (let ids = take(profiles, partition, after); ids.length > 0; ) {
      for (const id of ids) yield { place: { partition, after: id }, member: await memberOf(id, partition) };
      await new Promise<void>((resolve) => void host.setImmediate(resolve));
      ids = take(profiles, partition, ids.at(-1));
    }
  }

  async function memberOf(id: string, partition: number): Promise<Member | undefined> {
    const sent = await profiles.sentOf(partition, id);
    const result = sent?.results.find(({ computationId }) => computationId === audienceId);
    if (result?.text !== "true" || sent?.redirectTo !== null) return undefined;
    return { userId: null, anonymousId: null, ...ownerOf(id), since: isoTime(result.sinceMs) };
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

export interface MembersPage {
  readonly data: Member[];
  readonly next: string | null;
}

/** At most `limit` members, and fewer when many profiles had to be looked at; `next` is null at the end only. */
export async function membersPage(
  scan: Scan,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<MembersPage> {
  const data: Member[] = [];
  let looked = 0;
  for await (const { member, place } of look(scan, readCursor(after))) {
    looked += 1;
    if (member !== undefined) data.push(member);
    if (data.length === limit || looked === PROFILES_A_PAGE) return { data, next: cursorOf(place) };
  }
  return { data, next: null };
}

/** As RFC 4180 has it. */
export async function* membersCsv(scan: Scan): AsyncGenerator<string> {
  yield "userId,anonymousId,since\r\n";
  for await (const { member } of look(scan, readCursor(undefined)))
    if (member !== undefined)
      yield `${[member.userId, member.anonymousId, member.since].map(csvField).join(",")}\r\n`;
}

function csvField(text: string | null): string {
  if (text === null) return "";
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
