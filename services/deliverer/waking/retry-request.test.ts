import { describe, expect, jest, test } from "@jest/globals";
import { EVERY_CALL, type RetryChoice } from "#topics";
import { job } from "../fixtures/jobs.ts";
import type { JobInHand } from "./jobs-in-hand.ts";
import { OpenRequest, type PassEnd } from "./retry-request.ts";

const ASKED_MS = 1_000_000;
const PLACE = { topic: "retry", partition: 0, partitions: 1 };
const SPOT = { topic: "retry", partition: 0, offset: 0 };
const NONE: PassEnd["inHand"] = new Set();

/** It is heard at this time by the process's clock; its jobs are looked at later. */
function requestOf(heardAtMs: number, isLive: boolean, choice: Partial<RetryChoice> = {}): OpenRequest {
  const request = { id: "r", destinationId: "d1", askedAtMs: ASKED_MS, kind: "retry" };
  const nowMs = jest.fn(() => heardAtMs + 2_000).mockReturnValueOnce(heardAtMs);
  return new OpenRequest({ ...request, ...EVERY_CALL, ...choice, found: null, done: null }, nowMs, isLive);
}

test.each([
  { what: "heard as it was written", nowMs: ASKED_MS - 60_000, isLive: true, untilMs: ASKED_MS - 60_000 },
  { what: "of before the start", nowMs: ASKED_MS + 60_000, isLive: false, untilMs: ASKED_MS + 5_000 },
  { what: "of a clock ahead", nowMs: ASKED_MS - 60_000, isLive: false, untilMs: ASKED_MS - 60_000 },
])("one $what means what had failed by then, and what was never asked", ({ isLive, nowMs, untilMs }) => {
  const request = requestOf(nowMs, isLive);
  const means = [null, untilMs, untilMs + 1].map((failedAtMs) => request.means(job({ failedAtMs }), SPOT));
  expect(means).toEqual([true, true, false]);
});

test.each([
  { what: "heard as it was written", isLive: true, untilMs: Number.MAX_SAFE_INTEGER },
  { what: "of before the start", isLive: false, untilMs: ASKED_MS + 5_000 },
])(
  "one $what means what stood there at the first look, however far clocks are apart",
  ({ isLive, untilMs }) => {
    const request = requestOf(ASKED_MS - 60_000, isLive);
    const means = (failedAtMs: number, offset: number): boolean =>
      request.means(job({ failedAtMs }), { ...SPOT, offset });
    request.looksBelow(SPOT, 5);
    request.looksBelow(SPOT, 9);
    request.looksBelow({ ...SPOT, partition: 1 }, 9);
    const hadFailedLater = ASKED_MS + 1;
    expect([means(untilMs, 4), means(untilMs + 1, 4), means(hadFailedLater, 5)]).toEqual([
      true,
      isLive,
      false,
    ]);
  },
);

test.each([true, false])(
  "one that a clock behind its asker's hears (live: %p) means what another process put off before, wherever it has moved since",
  (isLive) => {
    const behindMs = ASKED_MS - 60_000;
    const request = requestOf(behindMs, isLive);
    const lookedAtMs = behindMs + 2_000;
    const means = [ASKED_MS, ASKED_MS + 1, lookedAtMs, lookedAtMs + 1].map((failedAtMs) =>
      request.means(job({ failedAtMs }), SPOT),
    );
    expect(means).toEqual([true, false, false, true]);
  },
);

/** Two users have one messageId, and two are spelt alike. */
const WAITING = [
  job({ jobId: "j1", messageId: "m1", userId: "u1" }),
  job({ jobId: "j2", messageId: "m1", userId: "u2" }),
  job({ jobId: "j3", messageId: "m3", userId: null, anonymousId: "u1" }),
  // Older than its fields for the user.
  job({ jobId: "j4", messageId: "m4", userId: null, body: Buffer.from('{"userId":"u1"}') }),
];

test.each<[Partial<RetryChoice>, jobIds: string[]]>([
  [{}, ["j1", "j2", "j3", "j4"]],
  [{ messageIds: ["m1", "gone"] }, ["j1", "j2"]],
  [{ messageIds: [] }, []],
  [{ userId: "u1" }, ["j1", "j4"]],
  [{ anonymousId: "u1" }, ["j3"]],
  [{ messageIds: ["m1"], userId: "u2" }, ["j2"]],
])("one for %j means %j", (choice, jobIds) => {
  const request = requestOf(ASKED_MS, true, choice);
  expect(WAITING.filter((each) => request.means(each, SPOT)).map(({ jobId }) => jobId)).toEqual(jobIds);
});

describe("a partition is done", () => {
  const isDoneAfter = (
    ...passes: readonly (readonly [beganAtMs: number, isWhole: boolean] | "given out")[]
  ) => {
    const request = requestOf(ASKED_MS, true);
    for (const pass of passes) {
      if (pass === "given out") request.forgetPasses();
      else request.passed(PLACE, { beganAtMs: pass[0], inHand: NONE, isWhole: pass[1] });
    }
    return request.isDoneIn(PLACE);
  };

  test("after two whole passes, the second two seconds behind the first", () => {
    expect(isDoneAfter([0, true], [2_000, true])).toBe(true);
    expect(isDoneAfter([0, true], [1_999, true])).toBe(false);
    expect(isDoneAfter([0, true], [1_999, true], [2_000, true])).toBe(true);
    expect(isDoneAfter([0, false], [2_000, true])).toBe(false);
    expect(isDoneAfter([0, true], [2_000, false])).toBe(false);
  });

  test("by passes of one term only: between two of them it was another's", () => {
    expect(isDoneAfter([0, true], "given out", [2_000, true])).toBe(false);
    expect(isDoneAfter([0, true], "given out", [2_000, true], [4_000, true])).toBe(true);
  });

  test("by passes after the last job that it means has moved on", () => {
    const request = requestOf(ASKED_MS, true);
    const pass = (beganAtMs: number) => request.passed(PLACE, { beganAtMs, inHand: NONE, isWhole: true });
    pass(0);
    request.movedOn({ ...PLACE, partition: 1 });
    request.movedOn(PLACE);
    pass(2_000);
    expect(request.isDoneIn(PLACE)).toBe(false);
    pass(4_000);
    expect(request.isDoneIn(PLACE)).toBe(true);
  });

  test("after what was in hand at the first pass: what becomes of it may come behind where that has looked", () => {
    const job = { isOver: false };
    const other: JobInHand = { isOver: false };
    const request = requestOf(ASKED_MS, true);
    const pass = (beganAtMs: number, inHand: readonly JobInHand[]) =>
      request.passed(PLACE, { beganAtMs, inHand: new Set(inHand), isWhole: true });
    pass(0, [job]);
    pass(2_000, [job, other]);
    expect([request.isDoneIn(PLACE), request.isDue([PLACE], 9_000)]).toEqual([false, false]);
    job.isOver = true;
    // It was in hand when the pass began.
    pass(9_000, [job, other]);
    expect([request.isDoneIn(PLACE), request.isDue([PLACE], 9_000)]).toEqual([false, true]);
    pass(10_000, [other]);
    expect(request.isDoneIn(PLACE)).toBe(true);
  });
});
