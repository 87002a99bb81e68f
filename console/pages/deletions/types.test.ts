import { expect, test } from "@jest/globals";
import { affectedBy, userIdsIn } from "./types.ts";

test("user ids are lines, each once, with their blanks", () => {
  expect(userIdsIn("u1\r\n u 2 \n\nu1\n")).toEqual(["u1", " u 2 "]);
});

test("what there is of users is said in sentences, and what was not counted in time as the least", () => {
  const tried = {
    ...{ subjectCount: 2, sources: ["s1", "s2"], notifications: 4, profiles: 1, audiences: 3 },
    ...{ memberships: 5, waitingCalls: null, deadLetters: 0 },
    notKnown: [{ field: "waitingCalls", atLeast: 12 }],
  };
  expect(affectedBy(tried)).toEqual([
    "4 notifications to receivers of 2 sources",
    "1 of 2 users are known to audiences and computed traits",
    "5 memberships in 3 audiences",
    "at least 12 calls wait, which are delivered all the same",
    "0 dead letters",
  ]);
});
