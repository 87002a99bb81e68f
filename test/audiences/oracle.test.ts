import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCase } from "./case.ts";
import { anyLateCase, differenceInLate } from "./late-case.ts";
import { differenceIn } from "./run-case.ts";

const CASES = 2_000;
const LATE_CASES = 500;

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
    { numRuns: LATE_CASES },
  );
}, 300_000);
