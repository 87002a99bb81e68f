// The law of what control counts, on stories that a test makes up.
import { expect, test } from "@jest/globals";
import { SPACE_SOURCE } from "#contract";
import type { DeadLetter, RoutedCall } from "#topics";
import { drawPlan } from "../plan/draw.ts";
import { countsAreTrue } from "./counted.ts";
import { EMPTY_STORY, written } from "./fixtures/empty-story.ts";
import type { Story } from "./story.ts";

const routed = (offset: number, place: number, more: Partial<RoutedCall> = {}) =>
  written(
    { partition: 0, offset, outcome: "routed", destinationIds: ["a"], passedOver: [], ...more } as RoutedCall,
    "routed-calls",
    place,
  );
const letter = (id: string, place: number, more: Partial<DeadLetter> = {}) =>
  written(
    {
      ...{ id, destinationId: "a", sourceId: "s", receivedAtMs: 0, replayId: null, reason: "permanent" },
      ...more,
    } as DeadLetter,
    "dead-letters",
    place,
  );

function broken(counted: Record<string, number>, story: Partial<Story>, waiting?: number): string[] {
  const plan = { ...drawPlan(1), recordsCalls: true };
  const indexes = [{ process: "control-1", deadLetters: 0, counted, waiting: waiting ?? 0 }];
  return countsAreTrue({ ...EMPTY_STORY, plan, indexes, ...story }).map(({ what }) => what);
}

const STORY = {
  routedCalls: [
    routed(1, 1),
    routed(2, 2, { outcome: "duplicate", destinationIds: [] }),
    routed(1, 3, { passedOver: [{ destinationId: "b", reason: "filter_off" }] }),
  ],
  deadLetters: [letter("l1", 1), letter("l1", 2), letter("l2", 3, { replayId: "r" })],
};
const TRUE = {
  ...{ routed: 1, "dropped duplicate": 1, sent: 1, "passed_over filter_off": 1, "dead permanent": 1 },
};

test("counts of what was recorded last, of each call and letter once, are true", () => {
  expect(broken(TRUE, STORY)).toEqual([]);
});

test("a call that was routed again and counted twice is found, and so is a letter that a crash wrote twice, or one that is missing", () => {
  expect(broken({ ...TRUE, sent: 2 }, STORY)).toEqual(["control-1 counts 2 as sent, and there are 1"]);
  expect(broken({ ...TRUE, "dead permanent": 2 }, STORY)).toHaveLength(1);
  expect(broken({ ...TRUE, "dead permanent": 0 }, STORY)).toHaveLength(1);
});

test("a letter that a crash wrote again when its destination was deleted has the reason of the first", () => {
  const deadLetters = [letter("l1", 2, { reason: "destination_gone" }), letter("l1", 1)];
  expect(broken({ "dead permanent": 1 }, { deadLetters })).toEqual([]);
  expect(broken({ "dead destination_gone": 1 }, { deadLetters })).toHaveLength(2);
});

test("where records are gone, or routers record nothing, nobody can tell", () => {
  const partition = { topic: "routed-calls", partition: 0 };
  const removed = { kind: "removed", atMs: 1, partition, below: 1 } as const;
  expect(broken({}, { ...STORY, happenings: [removed] })).toEqual([]);
});

test("a call that waits when everything is through is found, and a letter of a sync counts nowhere", () => {
  expect(broken(TRUE, STORY, 1)).toEqual(["control-1 says that 1 calls wait, and each is delivered or dead"]);
  const given = letter("given", 4, {
    sourceId: SPACE_SOURCE,
    messageId: "m",
    userId: "u",
    anonymousId: null,
  });
  expect(broken(TRUE, { ...STORY, deadLetters: [...STORY.deadLetters, given] })).toEqual([]);
});
