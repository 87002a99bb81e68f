// The laws of what routers record, on stories that a test makes up.
import { describe, expect, test } from "@jest/globals";
import type { Call, DeliveryJob, RoutedCall } from "#topics";
import { drawPlan } from "../plan/draw.ts";
import type { Happening } from "../world/history.ts";
import { committed, DESTINATION, EMPTY_STORY, written, writtenAt } from "./fixtures/empty-story.ts";
import { noCommitPassesUnrecorded, recordsAreTrue } from "./routed-calls.ts";
import type { Story } from "./story.ts";

const callAt = (offset: number) =>
  written({ messageId: `m${offset}`, userId: "u1" } as Call, "calls", 0, offset);
const jobOf = (offset: number, destinationId = "a") =>
  writtenAt<DeliveryJob>("delivery-jobs", 2, {
    messageId: `m${offset}`,
    userId: "u1",
    destinationId,
    replayId: null,
  });
const said = (offset: number, destinationIds: string[], place = 2) =>
  writtenAt<RoutedCall>("routed-calls", place, {
    messageId: `m${offset}`,
    userId: "u1",
    partition: 0,
    offset,
    destinationIds,
  });
const configured = (id: string): Happening => ({
  kind: "configured",
  atMs: 0,
  destination: { id, config: { ...DESTINATION, id, enabled: true } },
});
const routed = (offset: number): Happening => {
  const partition = { topic: "calls", partition: 0 };
  return committed(3, offset, { groupId: "webhook-router", partition, process: "webhook-router-1" });
};

/** Two calls for destination `a`, the commit at place 3. */
function story(changes: Partial<Story> = {}): Story {
  return {
    ...EMPTY_STORY,
    plan: { ...drawPlan(1), recordsCalls: true },
    happenings: [configured("a"), configured("b"), configured("b"), routed(2)],
    calls: [callAt(0), callAt(1)],
    jobs: [jobOf(0), jobOf(1)],
    routedCalls: [said(0, ["a"]), said(1, ["a"])],
    ...changes,
  };
}

const found = (changes: Partial<Story>) =>
  [noCommitPassesUnrecorded, recordsAreTrue].flatMap((law) => law(story(changes)).map(({ what }) => what));

test("a world in which every call is recorded as it was routed breaks none", () => {
  expect(found({})).toEqual([]);
});

describe("a law is broken by", () => {
  test("a commit past a call of which nothing is recorded, or later", () => {
    const passes = expect.stringContaining("past 1: m1");
    expect(found({ routedCalls: [said(0, ["a"])], jobs: [jobOf(0)] })).toEqual([passes]);
    expect(found({ routedCalls: [said(0, ["a"]), said(1, ["a"], 4)] })).toEqual([passes]);
  });

  test("a record that names a destination without a job, and a job that no record names", () => {
    expect(found({ jobs: [jobOf(0)] })).toEqual(["m1 of u1 to a has no job, and is recorded as sent"]);
    expect(found({ routedCalls: [said(0, ["a"]), said(1, [])] })).toEqual([
      "m1 of u1 to a has a job, and is not recorded as sent",
    ]);
  });
});

describe("no law is broken", () => {
  test("by what somebody changed meanwhile", () => {
    expect(found({ jobs: [jobOf(0), jobOf(1), jobOf(1, "b")] })).toEqual([]);
  });

  test("where routers record nothing", () => {
    expect(found({ plan: { ...drawPlan(1), recordsCalls: false }, routedCalls: [] })).toEqual([]);
  });
});
