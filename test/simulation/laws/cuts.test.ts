import { describe, expect, test } from "@jest/globals";
import type { DeliveryJob } from "#topics";
import { drawPlan } from "../plan/draw.ts";
import type { Happening } from "../world/history.ts";
import type { LogLine } from "../world/log-book.ts";
import { noCommitGoesBack } from "./commits.ts";
import { cuts, cutsAreCounted } from "./cuts.ts";
import { committed, EMPTY_STORY } from "./fixtures/empty-story.ts";
import { removals } from "./removals.ts";
import type { Story, Written } from "./story.ts";

const LOG = { topic: "delivery-jobs", partition: 0 };
const RECORD = { ...LOG, key: null, value: null };

const appended = (atMs: number, offset: number, timestampMs = atMs): Happening => ({
  kind: "appended",
  atMs,
  process: "webhook-router-1",
  record: { ...RECORD, offset, timestampMs },
});

const CUT: Happening = { kind: "cut", atMs: 40_000, partition: LOG, fromOffset: 1, toOffset: 3 };

const said = (atMs: number, fromOffset = 3): LogLine => ({
  atMs,
  process: "deliverer-1",
  level: "error",
  message: "a partition's log ends before what was read: its end was lost, and it is read again",
  facts: { ...LOG, fromOffset, endOffset: 1 },
});

const found: LogLine = {
  ...said(40_500),
  message: "a partition's log was cut; it is read again from there",
  facts: { ...LOG, seenUpTo: 3, nowAt: 1 },
};

/** Three jobs were read and committed, and the last two were lost. */
const BEFORE = [appended(1, 0), appended(2, 1), appended(3, 2), committed(4, 3), CUT];

function story(after: readonly Happening[], more: Partial<Story> = {}): Story {
  return {
    ...EMPTY_STORY,
    plan: drawPlan(1),
    happenings: [...BEFORE, ...after],
    ...more,
  };
}

/** The record that stands at this place of the history. */
function at(place: number, { happenings }: Story): Written<DeliveryJob> {
  const found = happenings[place];
  if (found?.kind !== "appended") throw new TypeError("there is no record");
  return { record: found.record, value: {} as DeliveryJob, atMs: found.atMs, process: "", place };
}

test("what a broker lost is excused, and nothing else", () => {
  const told = story([]);
  expect([0, 1, 2].map((place) => cuts(told).isCut(at(place, told)))).toEqual([false, true, true]);
  expect([0, 1, 2].map((place) => removals(told).isLost(at(place, told)))).toEqual([false, true, true]);
});

describe("what stands where another one stood", () => {
  const isExcused = (after: readonly Happening[], logs: readonly LogLine[]): boolean => {
    const told = story(after, { logs });
    return removals(told).isLost(at(BEFORE.length, told));
  };

  test("is to be read where somebody of the group knew before the log had grown to its place again", () => {
    const after = [appended(40_100, 1), committed(41_000, 1), appended(42_000, 2)];
    expect(isExcused(after, [said(40_500)])).toBe(false);
    expect(isExcused(after, [])).toBe(true);
  });

  test("is not seen where the log had grown to its place before anybody looked", () => {
    const after = [appended(40_100, 1), appended(40_200, 2), committed(41_000, 3)];
    expect(isExcused(after, [])).toBe(true);
    expect(isExcused([appended(40_100, 1), committed(41_000, 1)], [])).toBe(false);
  });

  test("is not seen where the log had grown to what a coordinator had left of its group's commits", () => {
    const left: Happening = {
      kind: "commits_lost",
      atMs: 5,
      groupId: "deliverer",
      partition: LOG,
      offset: 2,
    };
    const isExcusedAfter = (before: readonly Happening[]): boolean => {
      const happenings = [...before, appended(40_100, 1)];
      const told = story([], { happenings });
      return removals(told).isLost(at(before.length, told));
    };
    expect(isExcusedAfter(BEFORE)).toBe(false);
    // They are of before the cut, which somebody knew of: nobody who comes does any more.
    const after = [appended(40_100, 1), committed(41_000, 1), { ...left, atMs: 41_100 }];
    expect(isExcused(after, [said(40_500)])).toBe(true);
    expect(isExcused(after.with(2, { ...left, offset: 1 }), [said(40_500)])).toBe(false);
    expect(isExcusedAfter([...BEFORE.slice(0, -1), left, CUT])).toBe(true);
  });

  test("is not seen where retention has removed it before anybody looked", () => {
    const removed: Happening = { kind: "removed", atMs: 40_200, partition: LOG, below: 2 };
    const knows = committed(41_000, 1);
    expect(isExcused([appended(40_100, 1), removed, knows], [said(40_500)])).toBe(true);
    expect(isExcused([appended(40_100, 1), knows, removed], [said(40_500)])).toBe(false);
    expect(isExcused([appended(40_100, 1), { ...removed, below: 1 }, knows], [said(40_500)])).toBe(false);
  });

  test("is not seen where its clock is far behind that of what was lost", () => {
    const ahead = [appended(1, 0), appended(2, 1, 90_000), appended(3, 2), committed(4, 3), CUT];
    const told = story([], { happenings: [...ahead, appended(40_100, 1, 40_100)] });
    expect(removals(told).isLost(at(BEFORE.length, told))).toBe(true);
  });
});

describe("a law is broken by", () => {
  const lines = (laws: typeof cutsAreCounted, told: Story): string[] => laws(told).map(({ what }) => what);
  const shown = (truncated: number) => [
    { process: "deliverer-1", topic: "delivery-jobs", counted: 0, truncated },
  ];

  test("a count of what was lost at a log's end that is not what was said, and by one that was not lost", () => {
    expect(lines(cutsAreCounted, story([], { logs: [said(40_500)], losses: shown(2) }))).toEqual([]);
    expect(lines(cutsAreCounted, story([], { logs: [said(40_500)], losses: shown(0) }))).toHaveLength(1);
    expect(lines(cutsAreCounted, story([], { logs: [said(30_000)], losses: shown(2) }))).toHaveLength(1);
  });

  test("a commit that goes back where nobody has said that the log ends before it", () => {
    const back = [committed(41_000, 1)];
    expect(lines(noCommitGoesBack, story(back, { logs: [said(40_500)] }))).toEqual([]);
    expect(lines(noCommitGoesBack, story(back, { logs: [found] }))).toEqual([]);
    expect(lines(noCommitGoesBack, story(back))).toHaveLength(1);
    expect(
      lines(noCommitGoesBack, story([...back, committed(41_100, 0)], { logs: [said(40_500)] })),
    ).toHaveLength(1);
  });
});
