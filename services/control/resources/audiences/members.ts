// Who is in an audience, as it was sent.
import { ownerOf, type Subject } from "#audiences";
import type { WriteText } from "../../http/csv.ts";
import { isoTime } from "../../http/time-pages.ts";
import type { MemberParts } from "./member-parts.ts";
import { csvOfScan, pageOfScan, type Scan, type ScanPage } from "./profile-scan.ts";

interface Member {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  /** Of an audience of accounts. */
  readonly groupId: string | null;
  readonly since: string;
}

const NOBODY = { userId: null, anonymousId: null, groupId: null };

const COLUMNS = {
  users: ["userId", "anonymousId", "since"],
  accounts: ["groupId", "since"],
} as const satisfies Record<Subject, readonly (keyof Member)[]>;

type Scanned = Pick<MemberParts, "profiles" | "slices">;

function scanOf({ profiles, slices }: Scanned, audienceId: string): Scan<Member> {
  return {
    profiles,
    slices,
    find(id, { results }) {
      const result = results.find(({ computationId }) => computationId === audienceId);
      if (result?.text !== "true") return undefined;
      return { ...NOBODY, ...ownerOf(id), since: isoTime(result.sinceMs) };
    },
  };
}

export function membersPage(
  parts: Scanned,
  audienceId: string,
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<ScanPage<Member>> {
  return pageOfScan(scanOf(parts, audienceId), page);
}

export function membersCsv(
  parts: Scanned,
  { id, of }: { readonly id: string; readonly of: Subject },
  write: WriteText,
): AsyncGenerator<string> {
  return csvOfScan(scanOf(parts, id), COLUMNS[of], (text) => (text === null ? "" : write(text)));
}
