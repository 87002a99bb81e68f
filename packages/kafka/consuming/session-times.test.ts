import { expect, test } from "@jest/globals";
import { sessionTimes } from "./session-times.ts";

test("a member that hands over quickly does so while it reads, and says three times a session that it is there otherwise", () => {
  expect(sessionTimes({ handsOverQuickly: true })).toMatchObject({
    sessionTimeoutMs: 6_000,
    heartbeatMs: 500,
    quietHeartbeatMs: 2_000,
  });
  expect(sessionTimes({ sessionTimeoutMs: 9_000 })).toMatchObject({
    heartbeatMs: 3_000,
    quietHeartbeatMs: 3_000,
  });
});
