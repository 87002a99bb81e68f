// Imports of lists, from their records: each upload, and each confirmation of one, on its way to its end.
import type { MembershipImport } from "#topics";
import { onceOf, type Story, type Written } from "./story.ts";

/** One upload, or the confirmation of one that was held. */
export interface ImportTerm {
  /** Id of the import's record. */
  readonly key: string;
  readonly listId: string;
  readonly deed: "upload" | "confirm";
  /** With it the import was begun, or confirmed. */
  readonly first: Written<MembershipImport>;
  /** The first record that says that it is applied, held or refused; undefined: it is under way. */
  readonly end: Written<MembershipImport> | undefined;
  /** As their rows have them. */
  readonly userIds: ReadonlySet<string>;
}

/** In the order in which they were begun. */
export const termsOf = onceOf(({ control: { importRows, imports } }): readonly ImportTerm[] => {
  const rows = Map.groupBy(importRows, ({ value }) => value.uploadId);
  const records = Map.groupBy(
    imports,
    ({ value: { id, isConfirmed, uploadId } }) => `${id} ${uploadId} ${isConfirmed}`,
  );
  return [...records.values()].flatMap((versions) => {
    const [first] = versions;
    if (first === undefined) return [];
    const { audienceId, id, isConfirmed, uploadId } = first.value;
    return {
      ...{
        key: id,
        listId: audienceId,
        deed: isConfirmed ? ("confirm" as const) : ("upload" as const),
        first,
      },
      end: versions.find(({ value }) => value.state !== "staged"),
      userIds: new Set((rows.get(uploadId) ?? []).flatMap(({ value }) => value.userIds)),
    };
  });
});

/** Of one list, as they were applied, one after the other. */
export function appliedTo(
  story: Story,
  listId: string,
): (ImportTerm & { readonly end: Written<MembershipImport> })[] {
  const own = termsOf(story).flatMap(({ end, ...term }) =>
    term.listId === listId && end?.value.state === "applied" ? { ...term, end } : [],
  );
  return own.sort((one, other) => one.end.place - other.end.place);
}

/** It would empty the list, or take many off it, or was to be seen first: somebody has to confirm it (docs/use/lists.md). */
export function isToBeConfirmed({
  added,
  isHeldByRequest,
  members,
  mode,
  removed,
  rows,
}: MembershipImport): boolean {
  const isEmptied = (mode === "replace" && rows === 0) || (removed > 0 && members + added <= removed);
  return isHeldByRequest || isEmptied || removed > Math.max(100, members / 5);
}

/** The one that wrote the row. */
export function termBehind(
  story: Story,
  {
    atMs,
    value: { listedAtMs, listId },
  }: Written<{ readonly listedAtMs: number | null; readonly listId: string | null }>,
): ImportTerm | undefined {
  return termsOf(story).findLast(
    ({ first, listId: of }) => of === listId && first.value.stagedAtMs === listedAtMs && first.atMs <= atMs,
  );
}
