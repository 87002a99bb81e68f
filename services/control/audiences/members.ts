// Who is in an audience, as it was sent.
import { ownerOf } from "#audiences";
import { isoTime } from "../http/time-pages.ts";
import type { MemberParts } from "./member-parts.ts";
import { csvOfScan, pageOfScan, type Scan, type ScanPage } from "./profile-scan.ts";

interface Member {
  readonly userId: string | null;
  readonly anonymousId: string | null;
  readonly since: string;
}

type Scanned = Pick<MemberParts, "host" | "profiles">;

function scanOf({ host, profiles }: Scanned, audienceId: string): Scan<Member> {
  return {
    host,
    profiles,
    find(id, { results }) {
      const result = results.find(({ computationId }) => computationId === audienceId);
      if (result?.text !== "true") return undefined;
      return { userId: null, anonymousId: null, ...ownerOf(id), since: isoTime(result.sinceMs) };
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

export function membersCsv(parts: Scanned, audienceId: string): AsyncGenerator<string> {
  return csvOfScan(scanOf(parts, audienceId), ["userId", "anonymousId", "since"], (text) => text ?? "");
}
