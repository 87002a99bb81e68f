import { describe, expect, test } from "@jest/globals";
import type { AttemptOutcome } from "#contract";
import { endpointRequest } from "../fixtures/request.ts";
import { EndpointQueue } from "./endpoint-queue.ts";

const FIRST = endpointRequest();
const RETRY = endpointRequest({ isRetry: true });
const LATER_MS = 3_600_000;

/** Eight places, and a limiter that still finds out what the endpoint takes. */
function newQueue(maxInFlight = 256): EndpointQueue {
  return new EndpointQueue({ endpoint: "a", maxInFlight, retryDelaysMs: [10_000, 60_000], nowMs: 0 });
}

/** Four places, and requests that take a second. */
function knownQueue(): EndpointQueue {
  const queue = newQueue();
  for (let count = 0; count < 8; count += 1) queue.limiter.ended(true, 1_000, 0);
  return queue;
}

function start(queue: EndpointQueue, count: number, request = FIRST): void {
  for (let started = 0; started < count; started += 1) queue.started(request, 0);
}

function wait(queue: EndpointQueue, count: number, isRetry = false): void {
  const requests = isRetry ? queue.retries : queue.firsts;
  for (let waiting = 0; waiting < count; waiting += 1) requests.push(endpointRequest({ isRetry }));
}

describe("a queue's places", () => {
  test("are what its limiter says", () => {
    const queue = newQueue();
    start(queue, 7);
    expect([queue.isFull, queue.canStart(FIRST)]).toEqual([false, true]);
    start(queue, 1);
    expect([queue.isFull, queue.canStart(FIRST), queue.inFlight]).toEqual([true, false, 8]);
    wait(queue, 2);
    wait(queue, 1, true);
    expect([queue.waiting, queue.held]).toEqual([3, 11]);
  });

  test("are nobody's who would pass over another", () => {
    const queue = newQueue();
    wait(queue, 1);
    expect([queue.canStart(FIRST), queue.canStart(RETRY)]).toEqual([false, false]);
    queue.firsts.shift();
    wait(queue, 1, true);
    expect([queue.canStart(FIRST), queue.canStart(RETRY)]).toEqual([true, false]);
  });

  test("are all but one for retries, and the only one too", () => {
    const queue = newQueue();
    start(queue, 6, RETRY);
    expect(queue.canStart(RETRY)).toBe(true);
    start(queue, 1, RETRY);
    expect([queue.canStart(RETRY), queue.canStart(FIRST)]).toEqual([false, true]);
    queue.ended(RETRY, 0);
    expect(queue.canStart(RETRY)).toBe(true);
    expect(newQueue(1).canStart(RETRY)).toBe(true);
  });

  test("go to three first attempts and then one retry, and to retries alone when no first attempt waits", () => {
    const queue = newQueue();
    wait(queue, 5);
    wait(queue, 2, true);
    const order: string[] = [];
    for (let next = queue.takeNext(); next !== undefined; next = queue.takeNext()) {
      queue.started(next, 0);
      order.push(next.isRetry ? "retry" : "first");
    }
    expect(order.join(" ")).toBe("first first first retry first first retry");
  });

  test("are at most a quarter retries' while first attempts wait", () => {
    const queue = newQueue();
    start(queue, 2, RETRY);
    start(queue, 3);
    wait(queue, 1);
    wait(queue, 1, true);
    expect(queue.takeNext()?.isRetry).toBe(false);
    expect(queue.takeNext()?.isRetry).toBe(true);
  });

  test("are given to nobody while all are taken, or while the breaker is open", () => {
    const queue = newQueue();
    start(queue, 8);
    wait(queue, 1);
    expect(queue.takeNext()).toBeUndefined();
    const broken = newQueue();
    wait(broken, 1);
    broken.breaker.pause(LATER_MS);
    expect(broken.takeNext()).toBeUndefined();
  });
});

describe("what a queue shows of its endpoint", () => {
  test("is silence from the first request under way, or the last answer, on", () => {
    const queue = newQueue();
    expect(queue.silentMs(500)).toBe(0);
    queue.started(FIRST, 1_000);
    queue.started(FIRST, 1_500);
    expect(queue.silentMs(3_000)).toBe(2_000);
    queue.ended(FIRST, 2_500);
    expect(queue.silentMs(3_000)).toBe(500);
    queue.ended(FIRST, 2_600);
    expect(queue.silentMs(3_000)).toBe(0);
  });

  test("is how long a request would be held: as the others were, or half of what the first one waits already", () => {
    const queue = newQueue();
    expect(queue.dwellMs(5_000)).toBe(0);
    queue.limiter.ended(false, 300, 0);
    queue.firsts.push(endpointRequest({ enteredAtMs: 4_000 }));
    expect([queue.dwellMs(4_100), queue.dwellMs(5_000)]).toEqual([300, 500]);
  });
});

describe("a request had better not wait", () => {
  test("when all places are taken and nothing was answered for a second", () => {
    const queue = newQueue();
    start(queue, 7);
    expect(queue.refusal(FIRST, 1_000)).toBeUndefined();
    start(queue, 1);
    expect([queue.refusal(FIRST, 999), queue.refusal(FIRST, 1_000)]).toEqual([undefined, "stalled"]);
  });

  test("when it would be more than two seconds, and the first one has waited for one already", () => {
    const queue = knownQueue();
    wait(queue, 8);
    expect(queue.refusal(FIRST, 1_000)).toBeUndefined();
    wait(queue, 1);
    expect([queue.refusal(FIRST, 999), queue.refusal(FIRST, 1_000)]).toEqual([undefined, "queue_slow"]);
  });

  test("as a retry when it would be more than two seconds, or half a second while first attempts wait", () => {
    const queue = knownQueue();
    wait(queue, 8, true);
    expect(queue.refusal(RETRY, 0)).toBeUndefined();
    wait(queue, 1, true);
    expect(queue.refusal(RETRY, 0)).toBe("retry_share");
    const busy = knownQueue();
    wait(busy, 1);
    wait(busy, 2, true);
    expect(busy.refusal(RETRY, 0)).toBeUndefined();
    wait(busy, 1, true);
    expect(busy.refusal(RETRY, 0)).toBe("retry_share");
  });

  test("which nobody knows while it is still found out what the endpoint takes", () => {
    const queue = newQueue();
    queue.limiter.ended(false, 60_000, 0);
    wait(queue, 100);
    wait(queue, 100, true);
    expect([queue.refusal(FIRST, 5_000), queue.refusal(RETRY, 5_000)]).toEqual([undefined, undefined]);
  });
});

describe("room for retries", () => {
  test("is two rounds of the places, or of a quarter of them while first attempts wait, less those that are here", () => {
    const queue = newQueue();
    expect(queue.roomForRetries()).toBe(16);
    start(queue, 3, RETRY);
    wait(queue, 2, true);
    expect(queue.roomForRetries()).toBe(11);
    wait(queue, 1);
    expect(queue.roomForRetries()).toBe(0);
  });

  test("is a whole number, the next above", () => {
    const queue = newQueue();
    for (let count = 0; count < 8; count += 1) queue.limiter.ended(count < 3, 1, 0);
    wait(queue, 1);
    expect([queue.limiter.limit, queue.roomForRetries()]).toEqual([6.5, 4]);
  });

  test("that came after requests were turned away is reported as soon as half of the places are free, every five seconds at most", () => {
    const queue = newQueue();
    expect(queue.hasRoomToTell(LATER_MS)).toBe(false);
    queue.hasTurnedAway = true;
    start(queue, 4);
    expect(queue.hasRoomToTell(LATER_MS)).toBe(true);
    start(queue, 1);
    expect(queue.hasRoomToTell(LATER_MS)).toBe(false);
    queue.ended(FIRST, 0);
    queue.roomIsTold(LATER_MS);
    expect(queue.hasRoomToTell(LATER_MS + 5_000)).toBe(false);
    queue.hasTurnedAway = true;
    expect([4_999, 5_000].map((ms) => queue.hasRoomToTell(LATER_MS + ms))).toEqual([false, true]);
    queue.breaker.pause(0);
    expect(queue.hasRoomToTell(LATER_MS + 5_000)).toBe(false);
  });
});

describe("what a queue learns", () => {
  const failure = (more: object): AttemptOutcome => ({ kind: "retryable", reason: "http_429", ...more });
  function taught(count: number, outcome: AttemptOutcome): EndpointQueue {
    const queue = newQueue();
    for (let learnt = 0; learnt < count; learnt += 1) queue.learn(FIRST, outcome, 1_000);
    return queue;
  }

  test("from a 429 that asks for a pause is the pause; from one that does not, a failure", () => {
    const paused = taught(1, failure({ retryAfterMs: 3_000 })).breaker;
    expect([paused.state, paused.isPaused, paused.untilMs]).toEqual(["open", true, 4_000]);
    expect(taught(4, failure({})).breaker.state).toBe("closed");
    const down = taught(5, failure({})).breaker;
    expect([down.state, down.isPaused, down.untilMs]).toEqual(["open", false, 2_000]);
  });

  test("from a 5xx that asks for a pause is both; from no other failure is there a pause", () => {
    const probe = endpointRequest();
    const queue = newQueue();
    queue.probe = probe;
    queue.learn(probe, failure({ reason: "http_5xx", retryAfterMs: 300 }), 1_000);
    expect([queue.breaker.isPaused, queue.breaker.untilMs, queue.probe]).toEqual([true, 2_000, undefined]);
    expect(taught(1, failure({ reason: "timeout", retryAfterMs: 3_000 })).breaker.state).toBe("closed");
    expect(taught(1, failure({ reason: "http_5xx", retryAfterMs: 0 })).breaker.state).toBe("closed");
  });

  test("from the answer of its probe, and of no other request, is that the endpoint is back: it begins with one place", () => {
    const probe = endpointRequest();
    const queue = newQueue();
    queue.breaker.pause(0);
    queue.breaker.permit(0);
    queue.probe = probe;
    expect(queue.learn(FIRST, { kind: "success", status: 200 }, 0)).toBe(false);
    expect([queue.breaker.state, queue.limiter.limit, queue.probe]).toEqual(["half_open", 8, probe]);
    expect(queue.learn(probe, { kind: "success", status: 200 }, 0)).toBe(true);
    expect([queue.breaker.state, queue.limiter.limit, queue.probe]).toEqual(["closed", 1, undefined]);
  });
});

describe("a queue is forgotten", () => {
  test("a minute after its last use, when it holds nothing and owes nobody a word", () => {
    const queue = newQueue();
    queue.usedAtMs = 1_000;
    expect([60_999, 61_000].map((nowMs) => queue.isIdle(nowMs))).toEqual([false, true]);
    queue.hasTurnedAway = true;
    expect(queue.isIdle(61_000)).toBe(false);
    queue.hasTurnedAway = false;
    start(queue, 1);
    expect(queue.isIdle(61_000)).toBe(false);
  });

  test("with an open breaker, an hour after its last use or the time of its next probe", () => {
    const queue = newQueue();
    queue.hasTurnedAway = true;
    queue.usedAtMs = 1_000;
    queue.breaker.pause(500);
    expect([3_600_999, 3_601_000].map((nowMs) => queue.isIdle(nowMs))).toEqual([false, true]);
    queue.breaker.pause(2_000);
    expect([3_601_999, 3_602_000].map((nowMs) => queue.isIdle(nowMs))).toEqual([false, true]);
  });
});
