// The values of a computed trait, as they were sent.
import { ownerOf, userProfileId } from "#audiences";
import type { WriteText } from "../../http/csv.ts";
import { isoTime } from "../../http/time-pages.ts";
import type { SentState } from "../../records/profiles/replica.ts";
import type { MemberParts } from "./member-parts.ts";
import { csvOfScan, pageOfScan, type Scan, type ScanPage } from "./profile-scan.ts";

interface TraitValue {
  readonly userId: string;
  readonly value: unknown;
  readonly since: string;
}

type Scanned = Pick<MemberParts, "profiles" | "slices">;

/** Undefined for whom none was sent. */
function valueIn({ results }: SentState, traitId: string): Omit<TraitValue, "userId"> | undefined {
  const result = results.find(({ computationId }) => computationId === traitId);
  if (result === undefined || result.text === "") return undefined;
  return { value: JSON.parse(result.text) as unknown, since: isoTime(result.sinceMs) };
}

function scanOf({ profiles, slices }: Scanned, traitId: string): Scan<TraitValue> {
  return {
    profiles,
    slices,
    find(id, sent) {
      const found = valueIn(sent, traitId);
      const owner = ownerOf(id);
      return found === undefined || !("userId" in owner) ? undefined : { ...owner, ...found };
    },
  };
}

export function valuesPage(
  parts: Scanned,
  traitId: string,
  page: { readonly after: string | undefined; readonly limit: number },
): Promise<ScanPage<TraitValue>> {
  return pageOfScan(scanOf(parts, traitId), page);
}

/** Texts as `write` has them, all else as JSON. */
export function valuesCsv(parts: Scanned, traitId: string, write: WriteText): AsyncGenerator<string> {
  return csvOfScan(scanOf(parts, traitId), ["userId", "value", "since"], (value) =>
    typeof value === "string" ? write(value) : JSON.stringify(value),
  );
}

/** Of one user, or of the one that this one was merged into; `value` is null and `since` missing where none was sent. */
export async function valueOfUser(
  { profiles }: Scanned,
  traitId: string,
  userId: string,
): Promise<{ readonly userId: string; readonly value: unknown; readonly since?: string }> {
  const profile = await profiles.survivorOf(userProfileId(userId));
  const found = profile && valueIn(profile.state, traitId);
  return { userId, ...(found ?? { value: null }) };
}
