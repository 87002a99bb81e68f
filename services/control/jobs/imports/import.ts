// What an import of members is and how it changes; pure.
import type { ImportError, MembershipImport } from "#topics";

export const IMPORT_MODES = ["replace", "add", "remove"] as const;
export type ImportMode = (typeof IMPORT_MODES)[number];
export const IMPORT_STATES = ["staged", "held", "applied", "refused"] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** More than this many members, and than this share of them, go only when somebody says so. */
const HELD = { removed: 100, share: 0.2 };

export function importKey(audienceId: string, importId: string): string {
  return `${audienceId}:${importId}`;
}

export interface NewImport {
  readonly audienceId: string;
  readonly importId: string;
  readonly mode: ImportMode;
  /** It is held whatever it changes. */
  readonly isHeldByRequest: boolean;
  readonly rows: number;
  readonly errors: readonly ImportError[];
  readonly errorCount: number;
  readonly uploadId: string;
  readonly fromOffset: number;
  readonly toOffset: number;
  readonly nowMs: number;
  readonly queuedAtMs: number;
}

/** Of an upload that is whole. One with a wrong row is refused. */
export function newImport({ errors, nowMs, ...made }: NewImport): MembershipImport {
  return {
    ...made,
    ...NOTHING_DONE,
    id: importKey(made.audienceId, made.importId),
    state: made.errorCount > 0 ? "refused" : "staged",
    isConfirmed: false,
    errors: [...errors],
    stagedAtMs: nowMs,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

const NOTHING_DONE = {
  isCompared: false,
  users: 0,
  suppressed: 0,
  members: 0,
  added: 0,
  removed: 0,
  written: 0,
  rowsDone: 0,
  partitionsDone: 0,
};

/** What the rows come to beside the members that there are. */
export type Counts = Pick<MembershipImport, "users" | "suppressed" | "members" | "added" | "removed">;

/** Held when that was asked for, or when it would empty the list or take many members off it, unless somebody has confirmed it. */
export function compared(one: MembershipImport, counts: Counts, nowMs: number): MembershipImport {
  const isHeld = !one.isConfirmed && (one.isHeldByRequest || isSuspicious(one, counts));
  return changed({ ...one, ...counts, isCompared: !isHeld, state: isHeld ? "held" : "staged" }, nowMs);
}

function isSuspicious({ mode, rows }: MembershipImport, { added, members, removed }: Counts): boolean {
  const isEmptied = (mode === "replace" && rows === 0) || (removed > 0 && removed >= members + added);
  return isEmptied || removed > Math.max(HELD.removed, members * HELD.share);
}

/** Up to there its changes are written. */
export type Place = Pick<MembershipImport, "rowsDone" | "partitionsDone" | "written">;

export function progressed(one: MembershipImport, place: Place, nowMs: number): MembershipImport {
  return changed({ ...one, ...place }, nowMs);
}

export function applied(one: MembershipImport, nowMs: number): MembershipImport {
  const written = one.added + one.removed;
  return changed({ ...one, state: "applied", written }, nowMs);
}

export function refused(one: MembershipImport, message: string, nowMs: number): MembershipImport {
  return changed({ ...one, state: "refused", errors: [{ line: 0, message }], errorCount: 1 }, nowMs);
}

/** It takes its place behind all others, and is compared with what is there then. */
export function confirmed(one: MembershipImport, queuedAtMs: number, nowMs: number): MembershipImport {
  return changed({ ...one, ...NOTHING_DONE, state: "staged", isConfirmed: true, queuedAtMs }, nowMs);
}

const RANKS: Readonly<Record<string, number>> = { staged: 0, held: 1, refused: 2, applied: 2 };

/** Of two records of one import, the later one last: what has ended is not under way again, and what was confirmed stays so. */
export function further(known: MembershipImport | undefined, comes: MembershipImport): MembershipImport {
  // Another upload takes the place of one that was refused.
  if (known === undefined || known.uploadId !== comes.uploadId) return comes;
  if (known.isConfirmed !== comes.isConfirmed) return known.isConfirmed ? known : comes;
  return (RANKS[comes.state] ?? 0) < (RANKS[known.state] ?? 0) ? known : comes;
}

/** `updatedAtMs` grows with each change: it tells a newer record from an older one. */
function changed(one: MembershipImport, nowMs: number): MembershipImport {
  return { ...one, updatedAtMs: Math.max(nowMs, one.updatedAtMs + 1) };
}
