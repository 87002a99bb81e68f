// What a request would do that says `dryRun`: it changes nothing, needs the same scope, and is kept under no Idempotency-Key.
import { type Static, Type } from "typebox";
import { isJsonObject } from "#contract";
import { nullableInteger } from "./nullable.ts";

export const DRY_RUN = {
  dryRun: Type.Optional(Type.Boolean({ description: "Answer how many calls are meant, and do nothing." })),
};

const COUNT_FIELDS = {
  calls: nullableInteger("Calls that are meant now; null where counting took longer than four seconds."),
  atLeast: Type.Integer({ description: "As `calls`; where that is null, those that were found in time." }),
  skipped: Type.Integer({ description: "Selected, but no calls: records that could not be read." }),
  recordsRead: nullableInteger("How far it looked; null where nothing was read for it."),
  recordsToRead: nullableInteger("All that would have to be read for it; null where that is not known."),
};

export const DryRunView = Type.Object(COUNT_FIELDS, {
  title: "DryRun",
  description: "What the request would do without `dryRun`. Nothing was changed.",
  examples: [{ calls: 1042, atLeast: 1042, skipped: 0, recordsRead: null, recordsToRead: null }],
});
export type DryRun = Static<typeof DryRunView>;

/** Of calls that were found; more of them where not all was looked at. */
export function dryRun(
  atLeast: number,
  { isComplete, ...more }: { readonly isComplete: boolean } & Partial<DryRun>,
): DryRun {
  const nothing = { skipped: 0, recordsRead: null, recordsToRead: null };
  return { calls: isComplete ? atLeast : null, atLeast, ...nothing, ...more };
}

export function isDryRun(body: unknown): boolean {
  return isJsonObject(body) && body["dryRun"] === true;
}
