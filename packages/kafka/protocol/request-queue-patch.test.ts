import { beforeAll, describe, expect, jest, test } from "@jest/globals";
import RequestQueue, { type RequestQueueInternals } from "kafkajs/src/network/requestQueue/index.js";
import { systemHost } from "#host";
import { requestsSent } from "./request-counts.ts";
import { patchRequestQueue } from "./request-queue-patch.ts";

beforeAll(patchRequestQueue);

const silent = { debug: () => undefined };

/** A queue of the client's, as one connection has it. */
function newQueue(fields: Partial<RequestQueueInternals> = {}): RequestQueueInternals {
  const Queue = RequestQueue as unknown as new (options: object) => RequestQueueInternals;
  const queue = new Queue({ maxInFlightRequests: 1, requestTimeout: 1_000, logger: silent });
  return Object.assign(queue, fields);
}

describe("request queue", () => {
  test("an idle connection arms no timer (fact 3)", () => {
    const timers = jest.spyOn(globalThis, "setTimeout");
    const queue = newQueue();
    queue.checkPendingRequests();
    queue.scheduleCheckPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
    expect(timers).not.toHaveBeenCalled();
    timers.mockRestore();
  });

  test("a request that waits for a throttling broker is looked at when the throttling ends, once", () => {
    jest.useFakeTimers({ now: 1_000 });
    const queue = newQueue({ pending: [{}], throttledUntil: systemHost.elapsed() + 500 });
    const checks = jest.spyOn(queue, "checkPendingRequests").mockImplementation(() => undefined);
    queue.scheduleCheckPendingRequests();
    queue.scheduleCheckPendingRequests();
    jest.advanceTimersByTime(499);
    expect(checks).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1);
    expect(checks).toHaveBeenCalledTimes(1);
    jest.useRealTimers();
  });

  test("a request counts once, when it is sent, however often the client was patched", () => {
    patchRequestQueue();
    const queue = newQueue({ throttledUntil: systemHost.elapsed() + 60_000 });
    const before = { fetch: requestsSent("Fetch"), other: requestsSent("other") };
    const sent: number[] = [];
    for (const apiKey of [1, 1, 42])
      queue.push({
        entry: { apiKey, correlationId: sent.push(apiKey) },
        expectResponse: true,
        sendRequest: () => undefined,
      });
    expect(requestsSent("Fetch")).toBe(before.fetch);
    Object.assign(queue, { throttledUntil: -1, maxInFlightRequests: null });
    queue.checkPendingRequests();
    expect(requestsSent("Fetch") - before.fetch).toBe(2);
    expect(requestsSent("other") - before.other).toBe(1);
    if (queue.throttleCheckTimeoutId !== null) clearTimeout(queue.throttleCheckTimeoutId);
  });

  test.each([
    ["a heartbeat", [12], 6_000],
    ["who the coordinator is", [10, 8], 6_000],
    ["a commit", [8], 15_000],
    ["a heartbeat behind a join, which the broker answers first,", [12, 11], 15_000],
  ])("%s has its time", (_, [apiKey = 0, ...others], limitMs) => {
    jest.useFakeTimers({ now: 0 });
    const timeoutRequest = jest.fn();
    const waiting = (key: number, timedOut: () => unknown = () => undefined) =>
      [key, { entry: { apiKey: key }, sentAt: 0, requestTimeout: 15_000, timeoutRequest: timedOut }] as const;
    const queue = newQueue({
      ...{ enforceRequestTimeout: true, requestTimeout: 15_000, isConnected: () => true },
      inflight: new Map([waiting(apiKey, timeoutRequest), ...others.map((key) => waiting(key))]),
    });
    queue.scheduleRequestTimeoutCheck();
    jest.advanceTimersByTime(limitMs);
    expect(timeoutRequest).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(timeoutRequest).toHaveBeenCalledTimes(1);
    queue.destroy();
    jest.useRealTimers();
  });

  test("a request that nobody answers is given up within a second of its time, by a look a second", () => {
    jest.useFakeTimers({ now: 1_000 });
    const looks = jest.spyOn(globalThis, "setInterval");
    const timeoutRequest = jest.fn();
    const queue = newQueue({
      enforceRequestTimeout: true,
      requestTimeout: 15_000,
      isConnected: () => true,
      inflight: new Map([
        [1, { entry: { apiKey: 1 }, sentAt: 1_500, requestTimeout: 15_000, timeoutRequest }],
      ]),
    });
    queue.scheduleRequestTimeoutCheck();
    queue.scheduleRequestTimeoutCheck();
    jest.advanceTimersByTime(15_500);
    expect(timeoutRequest).not.toHaveBeenCalled();
    jest.advanceTimersByTime(1_000);
    expect(timeoutRequest).toHaveBeenCalledTimes(1);
    expect(looks.mock.calls.map(([, everyMs]) => everyMs)).toEqual([1_000, 1_000]);
    queue.destroy();
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
    looks.mockRestore();
  });

  test("a clock that is set back makes neither a throttling nor a request's time longer", () => {
    jest.useFakeTimers({ now: 3_600_000 });
    const timeoutRequest = jest.fn();
    const request = { entry: { apiKey: 1 }, sentAt: 3_600_000, requestTimeout: 15_000, timeoutRequest };
    const inflight = new Map([[1, request]]);
    const settings = { enforceRequestTimeout: true, requestTimeout: 15_000, isConnected: () => true };
    const queue = newQueue({ ...settings, inflight, maxInFlightRequests: null });
    queue.scheduleRequestTimeoutCheck();
    queue.maybeThrottle(500);
    expect(queue.canSendSocketRequestImmediately()).toBe(false);
    jest.setSystemTime(0);
    jest.advanceTimersByTime(500);
    expect(queue.canSendSocketRequestImmediately()).toBe(true);
    jest.advanceTimersByTime(16_500);
    expect(timeoutRequest).toHaveBeenCalledTimes(1);
    queue.destroy();
    jest.useRealTimers();
  });

  test("the looks of a connection end with it", () => {
    jest.useFakeTimers({ now: 1_000 });
    const queue = newQueue({ enforceRequestTimeout: true, requestTimeout: 15_000, isConnected: () => false });
    queue.scheduleRequestTimeoutCheck();
    jest.advanceTimersByTime(1_000);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  test("no delay is ever negative, also with a request waiting behind a full queue (fact 3)", () => {
    const timers = jest.spyOn(globalThis, "setTimeout");
    const queue = newQueue({ pending: [{}], throttledUntil: -1 });
    queue.scheduleCheckPendingRequests();
    const delays = timers.mock.calls.map(([, delayMs]) => delayMs);
    expect(delays).toEqual([10]);
    if (queue.throttleCheckTimeoutId !== null) clearTimeout(queue.throttleCheckTimeoutId);
    timers.mockRestore();
  });
});
