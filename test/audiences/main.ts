// `npm run audiences:oracle -- --cases 100000 [--seed 1] [--late | --previews]`: the oracle property with as many cases as asked for; late: of
// computations that are made when much has happened already; previews: of what previews of audiences of accounts say.
import { parseArgs } from "node:util";
import fc from "fast-check";
import { wholeNumber } from "#support/whole-number";
import { anyCase } from "./case.ts";
import { anyLateCase, differenceInLate } from "./late-case.ts";
import { differenceInPreviews } from "./preview-case.ts";
import { differenceIn } from "./run-case.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string" },
    seed: { type: "string" },
    late: { type: "boolean" },
    previews: { type: "boolean" },
  },
});
// Of no number there would be no case, and no difference.
const cases = wholeNumber("cases", values.cases ?? "100000", { min: 1, max: 1_000_000_000 });
const startedAtMs = performance.now();
const options = { numRuns: cases, ...(values.seed !== undefined && { seed: Number(values.seed) }) };

function refuse(difference: string | undefined): void {
  if (difference !== undefined) throw new Error(difference);
}

async function check() {
  if (values.previews === true) {
    const property = fc.asyncProperty(anyCase, async (given) => refuse(await differenceInPreviews(given)));
    return await fc.check(property, options);
  }
  if (values.late === true)
    return fc.check(
      fc.property(anyLateCase, (late) => refuse(differenceInLate(late))),
      options,
    );
  return fc.check(
    fc.property(anyCase, (given) => refuse(differenceIn(given))),
    options,
  );
}

const details = await check();
const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(1);
if (details.failed) {
  process.stdout.write(
    `${JSON.stringify(details.counterexample, undefined, 1)}\n${String(details.errorInstance)}\n`,
  );
  process.stdout.write(`seed ${details.seed}, after ${details.numRuns} cases\n`);
  process.exitCode = 1;
} else {
  process.stdout.write(`${cases} cases, no difference, ${seconds} s; seed ${details.seed}\n`);
}
