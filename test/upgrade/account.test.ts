import { expect, test } from "@jest/globals";
import { accountOf } from "./account.ts";

test("a call is lost when one of its webhooks never got it; what came twice is counted, what was not accepted is not missed", () => {
  const accepted = new Set(["u1", "u2", "u3"]);
  expect(accountOf(accepted, { calls: ["u1", "u2", "u3", "u4"], members: ["u1", "u1", "u3"] })).toEqual({
    accepted: 3,
    lost: ["u2 at members"],
    again: 1,
  });
});
