import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { until } from "#support/until";
import { endpointOf, logOf, NOW_MS, partsOf, wakerOf } from "../fixtures/pass.ts";

const ENDPOINT = endpointOf("a");

/** Nothing waits, and each look takes five seconds of the clock: the rest after it is twenty. */
function slowLooks(host: Pick<typeof systemHost, "delay" | "setTimeout"> = systemHost) {
  let nowMs = NOW_MS;
  const nowMsLater = () => {
    nowMs += 5_000;
    return nowMs;
  };
  return wakerOf(partsOf({ log: logOf([]), step: () => undefined, nowMs: nowMsLater, host }));
}

describe("after a look that found nothing", () => {
  test("a request does not wait until those that rest have done so, but for its own", async () => {
    const { waker, looks } = slowLooks();
    for (const id of ["a", "b", "c", "d"]) waker.found(endpointOf(id));
    await until(() => looks() === 4, { timeoutMs: 10_000, what: "four passes, which are all that may run" });
    await pause(50);
    waker.hasRoom(endpointOf("e"));
    await pause(100);
    expect(looks()).toBe(4);
    waker.asked("a-destination");
    await until(() => looks() === 5, { timeoutMs: 10_000, what: "one look for both" });
    waker.asked("a-destination");
    await pause(100);
    expect(looks()).toBe(5);
    await waker.stop(1_000);
  });

  test("an endpoint rests for four times as long as the look took, a request for five seconds at most", async () => {
    const rests: number[] = [];
    const delay = (ms: number, signal?: AbortSignal) => {
      rests.push(ms);
      return systemHost.delay(60_000, signal);
    };
    const { waker } = slowLooks({ ...systemHost, delay });
    waker.found(ENDPOINT);
    await until(() => rests.length === 1, { timeoutMs: 10_000, what: "the endpoint's rest" });
    waker.asked("a-destination");
    await until(() => rests.length === 2, { timeoutMs: 10_000, what: "the request's rest" });
    expect(rests).toEqual([20_000, 5_000]);
    await waker.stop(1_000);
  });

  test("an endpoint that has room waits for the rest to be over", async () => {
    const { waker, looks } = slowLooks();
    waker.found(ENDPOINT);
    await until(() => looks() === 1, { timeoutMs: 10_000, what: "the first look" });
    waker.hasRoom(ENDPOINT);
    await pause(200);
    expect(looks()).toBe(1);
    await waker.stop(1_000);
  });

  test.each([
    { title: "during the rest", afterMs: 50 },
    { title: "during the look", afterMs: 0 },
  ])("an endpoint that was down and is back is looked for at once, $title", async ({ afterMs }) => {
    const { waker, looks } = slowLooks();
    waker.found(ENDPOINT);
    await until(() => looks() === 1, { timeoutMs: 10_000, what: "the first look" });
    if (afterMs > 0) await pause(afterMs);
    waker.recovered(ENDPOINT);
    await until(() => looks() === 2, { timeoutMs: 10_000, what: "the second look" });
    await waker.stop(1_000);
  });
});
