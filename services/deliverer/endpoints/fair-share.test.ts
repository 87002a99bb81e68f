import { describe, expect, test } from "@jest/globals";
import { endpointRequest } from "../fixtures/request.ts";
import { EndpointQueue } from "./endpoint-queue.ts";
import { FairShare } from "./fair-share.ts";

const MAX_HELD = 100;

/** A queue with so many under way since time 0, whose requests take `averageMs`. */
function queueWith(inFlight: number, averageMs = 0): EndpointQueue {
  const queue = new EndpointQueue({ endpoint: "a", maxInFlight: 256, retryDelaysMs: [1_000], nowMs: 0 });
  for (let count = 0; count < inFlight; count += 1) queue.started(endpointRequest(), 0);
  if (averageMs > 0) queue.limiter.ended(false, averageMs, 0);
  return queue;
}

/** A process that holds so many, of so many queues. */
function pressed(held: number, queues = 1): FairShare {
  const fairShare = new FairShare(MAX_HELD);
  for (let count = 0; count < held; count += 1) fairShare.enter(count < queues);
  return fairShare;
}

/**
 * The longest silence of a queue with 60 under way that is not crowding, in a process that holds this many.
 */
function silenceAllowedMs(held: number): number | undefined {
  const queue = queueWith(60);
  const fairShare = pressed(held);
  for (let silentMs = 0; silentMs <= 2_000; silentMs += 1)
    if (fairShare.isCrowding(queue, silentMs, false)) return silentMs - 1;
  return undefined;
}

describe("what the queues of a process hold together", () => {
  test("is no matter below half of what it can hold", () => {
    expect(pressed(49).isCrowding(queueWith(60), 3_600_000, false)).toBe(false);
    expect(pressed(50).isCrowding(queueWith(60), 3_600_000, false)).toBe(true);
  });

  test("allows a silence of a second from half on, and of half a second when it is nearly full", () => {
    expect([50, 59, 95, 100].map(silenceAllowedMs)).toEqual([1_000, 900, 500, 500]);
  });

  test("is shared by those that hold anything: who holds less than that is never in the way", () => {
    expect(pressed(60, 1).isCrowding(queueWith(49), 5_000, false)).toBe(false);
    expect(pressed(60, 1).isCrowding(queueWith(50), 5_000, false)).toBe(true);
    expect(pressed(60, 2).isCrowding(queueWith(24), 5_000, false)).toBe(false);
    const oneHasGone = pressed(61, 3);
    oneHasGone.leave(true);
    expect(oneHasGone.isCrowding(queueWith(24), 5_000, false)).toBe(false);
    expect(oneHasGone.isCrowding(queueWith(25), 5_000, false)).toBe(true);
  });

  test("is shared by as many when one of them holds less than before", () => {
    const fairShare = pressed(61, 3);
    fairShare.leave(false);
    expect(fairShare.isCrowding(queueWith(16), 5_000, false)).toBe(false);
    expect(fairShare.isCrowding(queueWith(17), 5_000, false)).toBe(true);
  });

  test("is not for who holds each request for long; twice as long while the process itself is slow", () => {
    const isCrowding = (averageMs: number, isBusy: boolean) =>
      pressed(50).isCrowding(queueWith(60, averageMs), 0, isBusy);
    expect([isCrowding(1_000, false), isCrowding(1_001, false)]).toEqual([false, true]);
    expect([isCrowding(2_000, true), isCrowding(2_001, true)]).toEqual([false, true]);
  });
});
