import { expect, test } from "@jest/globals";
import { audienceDefinition } from "../fixtures/definitions.ts";
import { leafFromRecord, leafToRecord } from "../profile/leaf-record.ts";
import { leafBytes } from "../profile/size.ts";
import { planLeaf } from "./plan.ts";
import { addRuns, beganAgainMs } from "./runs.ts";
import type { RunsState } from "./state.ts";

const MINUTE_MS = 60_000;

function plan() {
  const definition = { event: "A", afterBreak: "10m", within: "60m" };
  const [leaf] = audienceDefinition(definition).leaves.values();
  if (leaf?.kind !== "composite" || leaf.parts[0] === undefined) throw new Error("refused");
  return planLeaf(leaf.parts[0]);
}

/** Calls by their minutes, in the order in which they come. */
function stateOf(minutes: readonly number[], nowMinutes = 60): RunsState {
  const state: RunsState = { kind: "runs", runs: [] };
  for (const minute of minutes) {
    const atMs = minute * MINUTE_MS;
    addRuns(state, [{ fromMs: atMs, toMs: atMs }], plan(), nowMinutes * MINUTE_MS);
  }
  return state;
}

const shown = ({ runs }: RunsState) => runs.map(({ fromMs, toMs }) => [fromMs / MINUTE_MS, toMs / MINUTE_MS]);

test("a break is as long as it says, and a late call may end it", () => {
  expect(shown(stateOf([1, 10.9, 21]))).toEqual([
    [1, 10.9],
    [21, 21],
  ]);
  expect(shown(stateOf([31, 1, 20]))).toEqual([
    [1, 1],
    [20, 20],
    [31, 31],
  ]);
  expect(shown(stateOf([1, 20, 10.5]))).toEqual([[1, 20]]);
  expect([beganAgainMs(stateOf([1])), beganAgainMs(stateOf([1, 11]))]).toEqual([undefined, 11 * MINUTE_MS]);
});

test("one run whose beginning cannot count any more is kept as the one before", () => {
  expect(shown(stateOf([1, 20, 40, 200], 210))).toEqual([
    [40, 40],
    [200, 200],
  ]);
});

test("at most fifty are kept, and read as they were written", () => {
  const state = stateOf(Array.from({ length: 60 }, (_, index) => index * 11));
  expect([state.runs.length, leafBytes(state)]).toEqual([50, 624]);
  expect(leafFromRecord(leafToRecord("k", state))).toEqual(state);
});
