// One row of an uploaded list, whatever its format.

/** A user, or why the line names none. */
export type Row =
  | { readonly line: number; readonly userId: string }
  | { readonly line: number; readonly message: string };

/** As deletions have it. */
const MAX_USER_ID_CHARACTERS = 1_000;

/** A line or a row of more is not read: it would have to be held whole. */
export const MAX_ROW_BYTES = 65_536;

/** What a decoder puts in place of bytes that are no UTF-8, and Kafka's texts have for half of a surrogate pair. */
const REPLACEMENT = "\uFFFD";

/** `line` is where the row ends; the first one is 1. */
export function rowOf(line: number, userId: unknown): Row {
  if (userId === undefined || userId === null || userId === "") return { line, message: "has no userId" };
  if (typeof userId !== "string") return { line, message: "has a userId that is no text" };
  if (userId.length > MAX_USER_ID_CHARACTERS)
    return { line, message: `has a userId of more than ${MAX_USER_ID_CHARACTERS} characters` };
  if (userId.toWellFormed().includes(REPLACEMENT)) return { line, message: "has a userId that is not UTF-8" };
  return { line, userId };
}
