import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCase, type Step } from "./case.ts";
import { anyLateCase, differenceInLate, type LateCase } from "./late-case.ts";
import { differenceInPreviews } from "./preview-case.ts";
import { differenceIn } from "./run-case.ts";

const CASES = 2_000;
const LATE_CASES = 500;
const PREVIEWED_CASES = 300;

const track = (userId: string | null, anonymousId: string | null, name = "A", data = {}): Step => ({
  ...{ kind: "call", type: "track", lateMs: 0 },
  ...{ ids: { userId, anonymousId }, name, data },
});

const lateCase = (
  definition: Record<string, unknown>,
  steps: readonly Step[],
  more: Partial<LateCase> = {},
): LateCase => {
  const audience = { id: "aud", key: "aud", includeAnonymous: false, kind: "audience", definition } as const;
  const usual = { there: 100, ready: 0, stretch: 60, diesAfter: 0, partitions: 1 };
  return { given: { computations: [audience], steps }, ...usual, ...more };
};

/** A user is merged into one who is suppressed, and who is not any more when the log is read for a new audience. */
const MERGED_WHILE_SUPPRESSED = lateCase({ event: "A", after: "2023-11-14T22:13:20.000Z" }, [
  track("u2", null),
  { kind: "suppress", userId: "u1", isSuppressed: true },
  { kind: "alias", from: "u2", to: "u1" },
  { kind: "suppress", userId: "u1", isSuppressed: false },
  track("u1", null, "B"),
]);

/** A call of an anonymous id comes again when the user whom it was merged into was deleted: it counts, as its first went with the deletion. */
const COPIED_BEHIND_DELETION = lateCase(
  {
    everyone: true,
    not: { event: "A", within: "60s", where: [{ path: "properties.n", op: "eq", value: "5" }] },
  },
  [
    track(null, "x1", "A", { n: "5" }),
    track("u1", "x1"),
    { kind: "delete", userId: "u1" },
    { kind: "clock", ms: 1 },
    { kind: "copy", of: 0, isStamped: true },
    track("u1", null),
  ],
  { there: 90 },
);

test(`in ${CASES} random cases the product sends what recomputing everything gives`, () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      expect(differenceIn(given)).toBeUndefined();
    }),
    { numRuns: CASES },
  );
}, 300_000);

test(`in ${LATE_CASES} random cases computations that are made late are what they would be if they had been there from the beginning`, () => {
  fc.assert(
    fc.property(anyLateCase, (late) => {
      expect(differenceInLate(late)).toBeUndefined();
    }),
    { numRuns: LATE_CASES, examples: [[MERGED_WHILE_SUPPRESSED], [COPIED_BEHIND_DELETION]] },
  );
}, 300_000);

test(`in ${PREVIEWED_CASES} random cases a preview of an audience of accounts names those that the audience has`, async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, async (given) => {
      expect(await differenceInPreviews(given)).toBeUndefined();
    }),
    { numRuns: PREVIEWED_CASES },
  );
}, 300_000);

test("a run that is asked for no number of cases does not say that there is no difference", () => {
  const args = [join(import.meta.dirname, "main.ts"), "--cases", "100k"];
  expect(() => execFileSync(process.execPath, args, { stdio: "pipe" })).toThrow(
    '--cases is not a whole number from 1 to 1000000000 (it is "100k")',
  );
}, 180_000);
