// Whose summaries are asked for.
import { Type } from "typebox";
import { refused } from "../../http/problem.ts";
import { STEP_FIELDS } from "../flow/steps.ts";

/** One answer reads some rows for each. */
const MOST_IDS = 100;

export const SUMMARIES_QUERY = Type.Object(
  {
    ids: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: `With commas between them; at most ${MOST_IDS}.`,
    }),
    ...STEP_FIELDS,
  },
  { additionalProperties: false },
);

/** Each once. Throws a 422. */
export function idsIn(text: string): string[] {
  const ids = [...new Set(text.split(",").map((id) => id.trim()))].filter((id) => id !== "");
  if (ids.length > MOST_IDS) throw refused([{ path: "ids", message: `are more than ${MOST_IDS}` }]);
  return ids;
}
