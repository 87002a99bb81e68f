import { describe, expect, test } from "@jest/globals";
import { START_MS } from "#support/records";
import type { IssueMark } from "#topics";
import { QUIET_MS } from "../index/issues-table.ts";
import { existingIssue } from "./commands.ts";
import { forgotten } from "./marks.ts";
import { judgeIssue } from "./state.ts";

const HOUR_MS = 3_600_000;
const at = (hour: number) => START_MS + hour * HOUR_MS;
const QUIET_HOURS = QUIET_MS / HOUR_MS;

function marked(state: string, hour: number, untilHour?: number): IssueMark {
  const untilMs = untilHour === undefined ? null : at(untilHour);
  return { issueId: "iss_1", destinationId: "d1", state, untilMs, atMs: at(hour), token: "ops" };
}

/** Of an issue that failed from hour 10 to hour 20. */
const stateOf = (mark: IssueMark | undefined, nowHour: number) =>
  judgeIssue({ sinceMs: at(10), mayBeOlder: false, lastAtMs: at(20) }, mark, at(nowHour)).state;

describe("the state of an issue that failed from hour 10 to 20", () => {
  test.each([
    ["nobody has said anything", undefined, 21, "open"],
    ["it is quiet", undefined, 20 + QUIET_HOURS, "resolved"],
    ["it is almost quiet", undefined, 19 + QUIET_HOURS, "open"],
    ["it was acknowledged since it began", marked("acknowledged", 15), 21, "acknowledged"],
    ["it was acknowledged before a quiet time", marked("acknowledged", 9), 21, "open"],
    ["it was acknowledged and is quiet", marked("acknowledged", 15), 20 + QUIET_HOURS, "resolved"],
    ["it was resolved since it failed", marked("resolved", 20), 21, "resolved"],
    ["it has failed since it was resolved", marked("resolved", 19), 21, "open"],
    ["it is snoozed", marked("snoozed", 15, 22), 21, "snoozed"],
    ["it was snoozed until now", marked("snoozed", 15, 21), 21, "open"],
    ["it was snoozed before it began again", marked("snoozed", 5, 22), 21, "snoozed"],
    ["it is snoozed and quiet", marked("snoozed", 15, 99), 20 + QUIET_HOURS, "resolved"],
    ["it was opened again", marked("open", 20.5), 21, "open"],
  ] as const)("when %s", (_, mark, now, state) => expect(stateOf(mark, now)).toBe(state));

  test("is acknowledged while nobody knows of a quiet time since", () => {
    const issue = { sinceMs: at(10), mayBeOlder: true, lastAtMs: at(20) };
    const judge = (now: number) => judgeIssue(issue, marked("acknowledged", 9), at(now)).state;
    expect([judge(21), judge(20 + QUIET_HOURS)]).toEqual(["acknowledged", "resolved"]);
  });

  test("names who has said so only while it holds", () => {
    const judge = (mark: IssueMark, now: number) =>
      judgeIssue({ sinceMs: at(10), mayBeOlder: false, lastAtMs: at(20) }, mark, at(now)).mark;
    expect(judge(marked("acknowledged", 15), 21)).toMatchObject({ token: "ops" });
    expect(judge(marked("acknowledged", 15), 20 + QUIET_HOURS)).toBeUndefined();
    expect(judge(marked("resolved", 19), 21)).toBeUndefined();
  });
});

describe("what was said of an issue is forgotten", () => {
  const topics = { deadLetters: { cleanup: { policy: "delete", retentionMs: 10 * HOUR_MS } } };
  function forget(mark: IssueMark, { indexedHour = 30, isThere = false } = {}): number {
    const deliveries = {
      index: { findIssue: () => (isThere ? ({} as never) : undefined) },
      progress: { indexedUntilMs: () => at(indexedHour) },
    };
    return forgotten([mark], { topics: topics as never, deliveries }, at(30)).length;
  }

  test("when the issue is gone and its records have left", () =>
    expect(forget(marked("resolved", 19))).toBe(1));

  test.each([
    ["the issue is there", marked("resolved", 19), { isThere: true }],
    ["the index is behind", marked("resolved", 19), { indexedHour: 20 }],
    ["it is young", marked("resolved", 21), {}],
    ["it is snoozed", marked("snoozed", 1, 99), {}],
  ] as const)("not while %s", (_, mark, more) => expect(forget(mark, more)).toBe(0));
});

test.each([
  [19.99, "not_found"],
  [10, "unavailable"],
])("an issue that is not there, with the index read until hour %p of 20, is %s", (indexedHour, kind) => {
  const deliveries = {
    index: { findIssue: () => undefined },
    progress: { indexedUntilMs: () => at(indexedHour) },
  } as never;
  expect(() => existingIssue({ deliveries, nowMs: () => at(20) }, "iss_1")).toThrow(
    expect.objectContaining({ kind }),
  );
});
