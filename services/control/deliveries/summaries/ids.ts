// What the lists of summaries have in common: whose they are, and of when.
import { type TSchema, Type } from "typebox";
import { TimeField } from "../../http/fields.ts";
import { refused } from "../../http/problem.ts";
import { STEP_FIELDS } from "../flow/steps.ts";

/** One answer reads some rows for each. */
const MOST_IDS = 100;

export const SUMMARIES_QUERY = Type.Object({
  ids: Type.String({
    minLength: 1,
    maxLength: 10_000,
    description: `With commas between them; at most ${MOST_IDS}.`,
  }),
  ...STEP_FIELDS,
});

/** Of an answer with such a view of each. */
export const summariesFields = <S extends TSchema>(view: S) => ({
  from: TimeField,
  to: TimeField,
  data: Type.Array(view, {
    description: "In the order in which they were asked for; without those that are not there.",
  }),
});

/** Each once. Throws a 422. */
export function idsIn(text: string): string[] {
  const ids = [...new Set(text.split(",").map((id) => id.trim()))].filter((id) => id !== "");
  if (ids.length > MOST_IDS) throw refused([{ path: "ids", message: `are more than ${MOST_IDS}` }]);
  return ids;
}
