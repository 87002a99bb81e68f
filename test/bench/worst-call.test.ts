// What one call costs a router at most, where all destinations of its source ask the worst that control takes of them.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { destinationProblems } from "../../services/control/resources/destinations/rules.ts";
import { SourceCosts } from "../../services/control/resources/destinations/source-costs.ts";
import { deepFilter, worstFilter } from "./worst-definitions.ts";
import { type Asked, destinationsOf, WORST_SOURCES } from "./worst-sources.ts";

/** Four times what decision 114 says, so that a machine of another speed does not break it; without bounds it was seconds. */
const MAX_MS = 200;
const PROGRAM_MS = 60_000;
/** Of a request to control. */
const MAX_BODY_BYTES = 512 * 1024;

/** One destination after the other, as control is asked for it. */
function askControl(asked: readonly Asked[]) {
  let count = 0;
  const costs = new SourceCosts(() => count);
  const rules = { isSource: () => true, before: undefined, partitions: 12, retryDelaysMs: [10_000], costs };
  const problemsOf = (one: object): readonly object[] => {
    const body = { ...one, sourceIds: ["shop"] };
    expect(JSON.stringify(body).length).toBeLessThan(MAX_BODY_BYTES);
    return destinationProblems(body, rules);
  };
  const problems = destinationsOf({ asked }).map((made, index) => {
    const found = problemsOf(asked[index] ?? {});
    count += 1;
    costs.apply(made, undefined);
    return found;
  });
  return { problems: problems.flat(), problemsOf, cost: costs.of("shop") };
}

test.each(WORST_SOURCES)("control takes $name", ({ asked }) => {
  expect(askControl(asked).problems).toEqual([]);
});

test("the worst source is at its bounds: nothing is taken beside it", () => {
  const { cost, problemsOf } = askControl(WORST_SOURCES.at(-1)?.asked.slice(0, 999) ?? []);
  expect(cost).toMatchObject({ destinations: 999, searches: 2_000, conditions: 9_996 });
  for (const filter of [worstFilter(20), deepFilter(0, 1)])
    expect(problemsOf({ filter, events: null })).toHaveLength(1);
});

interface Figures {
  readonly name: string;
  readonly records: number;
  readonly callMs: number;
  readonly turnMs: number;
}

describe("one call of 31 KB that all destinations of its source get takes a router less than a fifth of a second of CPU time", () => {
  let figures: readonly Figures[];
  // In a process of its own: what a jest module reaches of the globals takes ten times as long.
  beforeAll(async () => {
    const program = join(import.meta.dirname, "programs/worst-call.ts");
    const run = promisify(execFile);
    const given = ["--disable-warning=ExperimentalWarning", program];
    const { stdout } = await run(process.execPath, given, { timeout: PROGRAM_MS });
    figures = JSON.parse(stdout);
  }, 2 * PROGRAM_MS);

  test.each(WORST_SOURCES)("$name", ({ name }) => {
    const found = figures.filter((one) => one.name === name);
    const isBounded = ({ callMs, turnMs }: Figures) => callMs < MAX_MS && turnMs < MAX_MS;
    expect(found).toMatchObject([{ records: 1_001 }]);
    expect(found.filter((one) => !isBounded(one))).toEqual([]);
  });
});
