import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { anyCase } from "./case.ts";
import { differenceIn } from "./run-case.ts";

const CASES = 2_000;

test(`in ${CASES} random cases the product sends what recomputing everything gives`, () => {
  fc.assert(
    fc.property(anyCase, (given) => {
      expect(differenceIn(given)).toBeUndefined();
    }),
    { numRuns: CASES },
  );
}, 300_000);
