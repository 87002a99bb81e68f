import { describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { DelivererContext } from "../connection.ts";
import { endpointRequest } from "../fixtures/request.ts";
import { openEndpoints } from "./open.ts";

const OUTCOME = { kind: "success", status: 200 } as const;
const ONE_A_SECOND = { maxRequestsPerSecond: 1, maxInFlight: null };

/** A process whose timers run when the test says so, after as much time and work as it says. */
function setup() {
  const clock = { elapsedMs: 1_000, busyMs: 0, coreMs: 0 };
  const intervals = new Map<() => void, number>();
  const timeouts: { readonly work: () => void; readonly delayMs: number }[] = [];
  const stops: (() => void)[] = [];
  const host = {
    ...systemHost,
    elapsed: () => clock.elapsedMs,
    busyMs: () => clock.busyMs,
    coreMs: () => clock.coreMs,
    setInterval(work: () => void, everyMs: number) {
      intervals.set(work, everyMs);
      return { clear: () => void intervals.delete(work) };
    },
    setTimeout(work: () => void, delayMs: number) {
      timeouts.push({ work, delayMs });
      return { clear: () => undefined };
    },
  };
  const context = {
    host,
    lifecycle: { onStop: (_name: string, stop: () => void) => void stops.push(stop) },
    settings: {
      delivery: { maxInFlightPerEndpoint: 10, maxOutstandingCalls: 1_000 },
      retries: { delaysMs: [1_000] },
    },
  } as unknown as DelivererContext;
  const { limits, queues } = openEndpoints(context);
  return {
    clock,
    intervals,
    limits,
    queues,
    stops,
    timeouts,
    tick(afterMs: number, workedMs: number, coreMs = workedMs): void {
      clock.elapsedMs += afterMs;
      clock.busyMs += workedMs;
      clock.coreMs += coreMs;
      for (const work of intervals.keys()) work();
    },
  };
}

describe("a process's measure of itself", () => {
  test("is taken ten times a second until the process ends", () => {
    const { intervals, stops } = setup();
    expect([...intervals.values()]).toEqual([100]);
    for (const stop of stops) stop();
    expect(intervals.size).toBe(0);
  });

  test("shows a busy one when more than nine tenths of the time since the last were work", () => {
    const { queues, tick } = setup();
    const isBusyAfter = (workedMs: number) => {
      tick(100, workedMs);
      return queues.isBusy;
    };
    expect([90, 91, 90, 100, 0].map(isBusyAfter)).toEqual([false, true, false, true, false]);
  });

  test("shows a busy one when it waited for a core in most of that time, however little it could do", () => {
    const { queues, tick } = setup();
    const isBusyAfter = (coreMs: number) => {
      tick(100, 30, coreMs);
      return queues.isBusy;
    };
    expect([90, 91, 30].map(isBusyAfter)).toEqual([false, true, false]);
  });

  test("shows a busy one when the timer comes more than 50 ms late, however little work was counted", () => {
    const { queues, tick } = setup();
    const isBusyAfter = (afterMs: number) => {
      tick(afterMs, 0);
      return queues.isBusy;
    };
    expect([150, 151, 100].map(isBusyAfter)).toEqual([false, true, false]);
  });

  test("goes with a look at the endpoints: one that was idle for a minute is forgotten", () => {
    const { clock, queues, tick } = setup();
    const request = endpointRequest();
    queues.enter(request, clock.elapsedMs);
    queues.ended(request, OUTCOME, { durationMs: 1, nowMs: clock.elapsedMs });
    tick(59_000, 0);
    expect(queues.size).toBe(1);
    tick(2_000, 0);
    expect(queues.size).toBe(0);
  });
});

describe("a destination's rate", () => {
  test("is looked at again after 5 ms while somebody waits for it", () => {
    const { clock, limits, timeouts } = setup();
    const started: string[] = [];
    for (const name of ["first", "second"]) {
      const request = endpointRequest({ start: () => void started.push(name) });
      limits.enter({ ...request, destinationId: "d", quota: ONE_A_SECOND }, clock.elapsedMs);
    }
    expect(started).toEqual(["first"]);
    expect(timeouts.map(({ delayMs }) => delayMs)).toEqual([5]);
    clock.elapsedMs += 1_000;
    timeouts[0]?.work();
    expect(started).toEqual(["first", "second"]);
  });

  test("is forgotten when nobody has wanted anything of it for long enough", () => {
    const { clock, limits, tick } = setup();
    const request = { ...endpointRequest(), destinationId: "d", quota: ONE_A_SECOND };
    limits.enter(request, clock.elapsedMs);
    request.limit?.left(clock.elapsedMs);
    tick(900, 0);
    expect(limits.size).toBe(1);
    tick(100, 0);
    expect(limits.size).toBe(0);
  });
});
