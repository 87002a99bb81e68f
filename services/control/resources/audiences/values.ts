// The values of a computed trait, as they were sent.

import { ownerOf, type Subject } from "#audiences";
import { parseExactJson } from "#contract";
import type { WriteText } from "../../http/csv.ts";
import { isoTime } from "../../http/time-pages.ts";
import type { SentState } from "../../records/profiles/replica.ts";
import type { MemberParts } from "./member-parts.ts";
import { csvOfScan, pageOfScan, type Scan, type ScanPage } from "./profile-scan.ts";

interface TraitValue extends OfOne {
  readonly value: unknown;
  readonly since: string;
}

/** The one or the other. */
interface OfOne {
  readonly userId: string | null;
  readonly groupId: string | null;
}

const COLUMNS = {
  users: ["userId", "value", "since"],
  accounts: ["groupId", "value", "since"],
} as const satisfies Record<Subject, readonly (keyof TraitValue)[]>;

type Scanned = Pick<MemberParts, "profiles" | "slices">;

/** Undefined for whom none was sent. */
function valueIn({ results }: SentState, traitId: string): Omit<TraitValue, keyof OfOne> | undefined {
  const result = results.find(({ computationId }) => computationId === traitId);
  if (result === undefined || result.text === "") return undefined;
  return { value: parseExactJson(result.text), since: isoTime(result.sinceMs) };
}

function scanOf({ profiles, slices }: Scanned, traitId: string): Scan<TraitValue> {
  return {
    profiles,
    slices,
    find(id, sent) {
      const found = valueIn(sent, traitId);
      const owner = ownerOf(id);
      if (found === undefined || "anonymousId" in owner) return undefined;
      return { userId: null, groupId: null, ...owner, ...found };
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
export function valuesCsv(
  parts: Scanned,
  { id, of }: { readonly id: string; readonly of: Subject },
  write: WriteText,
): AsyncGenerator<string> {
  return csvOfScan(scanOf(parts, id), COLUMNS[of], (value) =>
    typeof value === "string" ? write(value) : JSON.stringify(value),
  );
}

/** Of one account or user, or of the user that this one was merged into; `value` is null and `since` missing where none was sent. */
export async function valueOfOne(
  { profiles }: Scanned,
  traitId: string,
  profileId: string,
): Promise<OfOne & { readonly value: unknown; readonly since?: string }> {
  const profile = await profiles.survivorOf(profileId);
  const found = profile && valueIn(profile.state, traitId);
  return { userId: null, groupId: null, ...ownerOf(profileId), ...(found ?? { value: null }) };
}
