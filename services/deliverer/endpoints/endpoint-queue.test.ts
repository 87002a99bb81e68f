import { describe, expect, test } from "@jest/globals";
import type { AttemptOutcome } from "#contract";
import { laneRequest } from "../fixtures/request.ts";
import { Lane } from "./endpoint-queue.ts";

const FIRST = laneRequest();
const RETRY = laneRequest({ isRetry: true });
const LATER_MS = 3_600_000;

/** Eight places, and a limiter that still finds out what the endpoint takes. */
function newLane(maxInFlight = 256): Lane {
  return new Lane({ endpoint: "a", maxInFlight, retryDelaysMs: [10_000, 60_000], nowMs: 0 });
}

/** Four places, and requests that take a second. */
function knownLane(): Lane {
  const lane = newLane();
  for (let count = 0; count < 8; count += 1) lane.limiter.ended(true, 1_000, 0);
  return lane;
}

function start(lane: Lane, count: number, request = FIRST): void {
  for (let started = 0; started < count; started += 1) lane.started(request, 0);
}

function wait(lane: Lane, count: number, isRetry = false): void {
  const queue = isRetry ? lane.retries : lane.firsts;
  for (let waiting = 0; waiting < count; waiting += 1) queue.push(laneRequest({ isRetry }));
}

describe("a lane's places", () => {
  test("are what its limiter says", () => {
    const lane = newLane();
    start(lane, 7);
    expect([lane.isFull, lane.canStart(FIRST)]).toEqual([false, true]);
    start(lane, 1);
    expect([lane.isFull, lane.canStart(FIRST), lane.inFlight]).toEqual([true, false, 8]);
    wait(lane, 2);
    wait(lane, 1, true);
    expect([lane.waiting, lane.held]).toEqual([3, 11]);
  });

  test("are nobody's who would pass over another", () => {
    const lane = newLane();
    wait(lane, 1);
    expect([lane.canStart(FIRST), lane.canStart(RETRY)]).toEqual([false, false]);
    lane.firsts.shift();
    wait(lane, 1, true);
    expect([lane.canStart(FIRST), lane.canStart(RETRY)]).toEqual([true, false]);
  });

  test("are all but one for retries, and the only one too", () => {
    const lane = newLane();
    start(lane, 6, RETRY);
    expect(lane.canStart(RETRY)).toBe(true);
    start(lane, 1, RETRY);
    expect([lane.canStart(RETRY), lane.canStart(FIRST)]).toEqual([false, true]);
    lane.ended(RETRY, 0);
    expect(lane.canStart(RETRY)).toBe(true);
    expect(newLane(1).canStart(RETRY)).toBe(true);
  });

  test("go to three first attempts and then one retry, and to retries alone when no first attempt waits", () => {
    const lane = newLane();
    wait(lane, 5);
    wait(lane, 2, true);
    const order: string[] = [];
    for (let next = lane.takeNext(); next !== undefined; next = lane.takeNext()) {
      lane.started(next, 0);
      order.push(next.isRetry ? "retry" : "first");
    }
    expect(order.join(" ")).toBe("first first first retry first first retry");
  });

  test("are at most a quarter retries' while first attempts wait", () => {
    const lane = newLane();
    start(lane, 2, RETRY);
    start(lane, 3);
    wait(lane, 1);
    wait(lane, 1, true);
    expect(lane.takeNext()?.isRetry).toBe(false);
    expect(lane.takeNext()?.isRetry).toBe(true);
  });

  test("are given to nobody while all are taken, or while the breaker is open", () => {
    const lane = newLane();
    start(lane, 8);
    wait(lane, 1);
    expect(lane.takeNext()).toBeUndefined();
    const broken = newLane();
    wait(broken, 1);
    broken.breaker.pause(LATER_MS);
    expect(broken.takeNext()).toBeUndefined();
  });
});

describe("what a lane shows of its endpoint", () => {
  test("is silence from the first request under way, or the last answer, on", () => {
    const lane = newLane();
    expect(lane.silentMs(500)).toBe(0);
    lane.started(FIRST, 1_000);
    lane.started(FIRST, 1_500);
    expect(lane.silentMs(3_000)).toBe(2_000);
    lane.ended(FIRST, 2_500);
    expect(lane.silentMs(3_000)).toBe(500);
    lane.ended(FIRST, 2_600);
    expect(lane.silentMs(3_000)).toBe(0);
  });

  test("is how long a request would be held: as the others were, or half of what the first one waits already", () => {
    const lane = newLane();
    expect(lane.dwellMs(5_000)).toBe(0);
    lane.limiter.ended(false, 300, 0);
    lane.firsts.push(laneRequest({ enteredAtMs: 4_000 }));
    expect([lane.dwellMs(4_100), lane.dwellMs(5_000)]).toEqual([300, 500]);
  });
});

describe("a request had better not wait", () => {
  test("when all places are taken and nothing was answered for a second", () => {
    const lane = newLane();
    start(lane, 7);
    expect(lane.refusal(FIRST, 1_000)).toBeUndefined();
    start(lane, 1);
    expect([lane.refusal(FIRST, 999), lane.refusal(FIRST, 1_000)]).toEqual([undefined, "stalled"]);
  });

  test("when it would be more than two seconds, and the first one has waited for one already", () => {
    const lane = knownLane();
    wait(lane, 8);
    expect(lane.refusal(FIRST, 1_000)).toBeUndefined();
    wait(lane, 1);
    expect([lane.refusal(FIRST, 999), lane.refusal(FIRST, 1_000)]).toEqual([undefined, "queue_slow"]);
  });

  test("as a retry when it would be more than two seconds, or half a second while first attempts wait", () => {
    const lane = knownLane();
    wait(lane, 8, true);
    expect(lane.refusal(RETRY, 0)).toBeUndefined();
    wait(lane, 1, true);
    expect(lane.refusal(RETRY, 0)).toBe("retry_share");
    const busy = knownLane();
    wait(busy, 1);
    wait(busy, 2, true);
    expect(busy.refusal(RETRY, 0)).toBeUndefined();
    wait(busy, 1, true);
    expect(busy.refusal(RETRY, 0)).toBe("retry_share");
  });

  test("which nobody knows while it is still found out what the endpoint takes", () => {
    const lane = newLane();
    lane.limiter.ended(false, 60_000, 0);
    wait(lane, 100);
    wait(lane, 100, true);
    expect([lane.refusal(FIRST, 5_000), lane.refusal(RETRY, 5_000)]).toEqual([undefined, undefined]);
  });
});

describe("room for retries", () => {
  test("is two rounds of the places, or of a quarter of them while first attempts wait, less those that are here", () => {
    const lane = newLane();
    expect(lane.roomForRetries()).toBe(16);
    start(lane, 3, RETRY);
    wait(lane, 2, true);
    expect(lane.roomForRetries()).toBe(11);
    wait(lane, 1);
    expect(lane.roomForRetries()).toBe(0);
  });

  test("is a whole number, the next above", () => {
    const lane = newLane();
    for (let count = 0; count < 8; count += 1) lane.limiter.ended(count < 3, 1, 0);
    wait(lane, 1);
    expect([lane.limiter.limit, lane.roomForRetries()]).toEqual([6.5, 4]);
  });

  test("that came after requests were turned away is told once half of the places are free, every five seconds at most", () => {
    const lane = newLane();
    expect(lane.hasRoomToTell(LATER_MS)).toBe(false);
    lane.hasTurnedAway = true;
    start(lane, 4);
    expect(lane.hasRoomToTell(LATER_MS)).toBe(true);
    start(lane, 1);
    expect(lane.hasRoomToTell(LATER_MS)).toBe(false);
    lane.ended(FIRST, 0);
    lane.roomIsTold(LATER_MS);
    expect(lane.hasRoomToTell(LATER_MS + 5_000)).toBe(false);
    lane.hasTurnedAway = true;
    expect([4_999, 5_000].map((ms) => lane.hasRoomToTell(LATER_MS + ms))).toEqual([false, true]);
    lane.breaker.pause(0);
    expect(lane.hasRoomToTell(LATER_MS + 5_000)).toBe(false);
  });
});

describe("what a lane learns", () => {
  const failure = (more: object): AttemptOutcome => ({ kind: "retryable", reason: "http_429", ...more });
  function taught(count: number, outcome: AttemptOutcome): Lane {
    const lane = newLane();
    for (let learnt = 0; learnt < count; learnt += 1) lane.learn(FIRST, outcome, 1_000);
    return lane;
  }

  test("from a 429 that asks for a pause is the pause; from one that does not, a failure", () => {
    const paused = taught(1, failure({ retryAfterMs: 3_000 })).breaker;
    expect([paused.state, paused.isPaused, paused.untilMs]).toEqual(["open", true, 4_000]);
    expect(taught(4, failure({})).breaker.state).toBe("closed");
    const down = taught(5, failure({})).breaker;
    expect([down.state, down.isPaused, down.untilMs]).toEqual(["open", false, 2_000]);
  });

  test("from a 5xx that asks for a pause is both; from no other failure is there a pause", () => {
    const probe = laneRequest();
    const lane = newLane();
    lane.probe = probe;
    lane.learn(probe, failure({ reason: "http_5xx", retryAfterMs: 300 }), 1_000);
    expect([lane.breaker.isPaused, lane.breaker.untilMs, lane.probe]).toEqual([true, 2_000, undefined]);
    expect(taught(1, failure({ reason: "timeout", retryAfterMs: 3_000 })).breaker.state).toBe("closed");
    expect(taught(1, failure({ reason: "http_5xx", retryAfterMs: 0 })).breaker.state).toBe("closed");
  });

  test("from the answer of its probe, and of no other request, is that the endpoint is back: it begins with one place", () => {
    const probe = laneRequest();
    const lane = newLane();
    lane.breaker.pause(0);
    lane.breaker.permit(0);
    lane.probe = probe;
    expect(lane.learn(FIRST, { kind: "success", status: 200 }, 0)).toBe(false);
    expect([lane.breaker.state, lane.limiter.limit, lane.probe]).toEqual(["half_open", 8, probe]);
    expect(lane.learn(probe, { kind: "success", status: 200 }, 0)).toBe(true);
    expect([lane.breaker.state, lane.limiter.limit, lane.probe]).toEqual(["closed", 1, undefined]);
  });
});

describe("a lane is forgotten", () => {
  test("a minute after its last use, when it holds nothing and owes nobody a word", () => {
    const lane = newLane();
    lane.usedAtMs = 1_000;
    expect([60_999, 61_000].map((nowMs) => lane.isIdle(nowMs))).toEqual([false, true]);
    lane.hasTurnedAway = true;
    expect(lane.isIdle(61_000)).toBe(false);
    lane.hasTurnedAway = false;
    start(lane, 1);
    expect(lane.isIdle(61_000)).toBe(false);
  });

  test("with an open breaker, an hour after its last use or the time of its next probe", () => {
    const lane = newLane();
    lane.hasTurnedAway = true;
    lane.usedAtMs = 1_000;
    lane.breaker.pause(500);
    expect([3_600_999, 3_601_000].map((nowMs) => lane.isIdle(nowMs))).toEqual([false, true]);
    lane.breaker.pause(2_000);
    expect([3_601_999, 3_602_000].map((nowMs) => lane.isIdle(nowMs))).toEqual([false, true]);
  });
});
