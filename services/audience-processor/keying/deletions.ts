import { isDeletion } from "#contract";
import type { Table } from "#kafka";
import type { Regulation } from "#topics";

/** Calls the listener once for each deletion, with its moment, as soon as all that it says to profiles is in their log. */
export function whenDeleted(
  table: Pick<Table<Regulation>, "onChange">,
  listener: (deletedAtMs: number) => void,
): void {
  const known = new Set<string>();
  table.onChange((id, regulation) => {
    if (regulation === undefined) known.delete(id);
    if (regulation?.isStateDone !== true || !isDeletion(regulation.regulationType) || known.has(id)) return;
    known.add(id);
    listener(regulation.deletedAtMs ?? regulation.createdAtMs);
  });
}
