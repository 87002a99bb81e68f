import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCase } from "./case.ts";
import { anyLateCase, differenceInLate, type LateCase } from "./late-case.ts";
import { differenceIn } from "./run-case.ts";

const CASES = 2_000;
const LATE_CASES = 500;

/** A user is merged into one who is suppressed, and who is not any more when the log is read for a new audience. */
const MERGED_WHILE_SUPPRESSED: LateCase = {
  given: {
    computations: [
      {
        id: "bought",
        key: "bought",
        includeAnonymous: false,
        kind: "audience",
        definition: { event: "A", after: "2023-11-14T22:13:20.000Z" },
      },
    ],
    steps: [
      {
        kind: "call",
        ids: { userId: "u2", anonymousId: null },
        type: "track",
        name: "A",
        lateMs: 0,
        data: {},
      },
      { kind: "suppress", userId: "u1", isSuppressed: true },
      { kind: "alias", from: "u2", to: "u1" },
      { kind: "suppress", userId: "u1", isSuppressed: false },
      {
        kind: "call",
        ids: { userId: "u1", anonymousId: null },
        type: "track",
        name: "B",
        lateMs: 0,
        data: {},
      },
    ],
  },
  there: 100,
  ready: 0,
  stretch: 60,
  diesAfter: 0,
  partitions: 1,
};

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
    { numRuns: LATE_CASES, examples: [[MERGED_WHILE_SUPPRESSED]] },
  );
}, 300_000);
