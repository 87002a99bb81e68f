import { expect, test } from "@jest/globals";
import { job } from "#support/records";
import { webhookId } from "../../http/webhook-fields.ts";
import { waitingTest } from "./query.ts";

const [A, B] = ["https://a.test/", "https://b.test/"];
const failed = (url: string, reason: string) => ({
  ...{ url, kind: "retryable", reason, status: null, message: "" },
  ...{ atMs: 1, durationMs: 1 },
});

const JOBS = {
  queued: job({ sourceId: "s2", type: "page" }),
  failed: job({
    ...{ messageId: "m2", attempts: 2, dueAtMs: 9 },
    outcomes: [failed(A, "timeout"), failed(B, "http_5xx")],
  }),
  // Put off before it was tried.
  diverted: job({ dueAtMs: 9, userId: null, anonymousId: "a1" }),
  paused: job({ attempts: 1, dueAtMs: 9, pausedSinceMs: 5, outcomes: [failed(A, "http_5xx")] }),
};

test.each<[Parameters<typeof waitingTest>[1], (keyof typeof JOBS)[]]>([
  [{}, ["queued", "failed", "diverted", "paused"]],
  [{ state: "waiting" }, ["failed", "diverted"]],
  [{ state: "paused" }, ["paused"]],
  [{ minAttempts: 1 }, ["failed", "paused"]],
  [{ minAttempts: 2 }, ["failed"]],
  [{ webhookId: webhookId("d1", A) }, ["failed", "paused"]],
  [{ webhookId: webhookId("d2", A) }, []],
  [{ reason: "http_5xx" }, ["failed", "paused"]],
  [{ reason: "http_5xx", webhookId: webhookId("d1", A) }, ["paused"]],
  [{ sourceId: "s2" }, ["queued"]],
  [{ type: "page" }, ["queued"]],
  [{ messageId: "m2" }, ["failed"]],
  [{ anonymousId: "a1" }, ["diverted"]],
  [{ userId: "u1", state: "queued" }, ["queued"]],
])("of what waits %j means %j", (asked, meant) => {
  const isMeant = waitingTest("d1", asked);
  const found = Object.entries(JOBS).filter(([, one]) => isMeant(one));
  expect(found.map(([name]) => name)).toEqual(meant);
});
