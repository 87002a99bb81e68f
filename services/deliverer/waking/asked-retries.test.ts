import { describe, expect, test } from "@jest/globals";
import type { DestinationState } from "../destinations.ts";
import { endpointOf, logOf, NOW_MS, partsOf } from "../fixtures/pass.ts";
import { AskedRetries } from "./asked-retries.ts";
import { runPass } from "./pass.ts";

/** What waits for `a` is asked for; `b` waits too. */
async function askedFor(failedAtMs: number, room?: () => number | undefined): Promise<string[]> {
  const log = logOf(["a", "b", "a"]);
  for (const [offset, waiting] of log.jobs) log.jobs.set(offset, { ...waiting, failedAtMs: NOW_MS - 1 });
  const last = log.jobs.get(2);
  if (last !== undefined) log.jobs.set(2, { ...last, failedAtMs });
  const taken: string[] = [];
  const parts = partsOf({
    log,
    ...(room && { room }),
    step({ decoded }, settle) {
      taken.push(decoded.jobId);
      settle({ produce: [] });
    },
  });
  await runPass(new Map([["a", NOW_MS]]), parts, new AbortController().signal);
  return taken;
}

describe("waiting calls that somebody asked for", () => {
  test("are taken ahead of their time, those of other destinations are not", async () => {
    expect(await askedFor(NOW_MS - 1)).toEqual(["j0", "j2"]);
  });

  test("are left when they have failed since", async () => {
    expect(await askedFor(NOW_MS + 1)).toEqual(["j0"]);
  });

  test("stay where they are while the endpoint's breaker lets nothing through", async () => {
    expect(await askedFor(NOW_MS - 1, () => undefined)).toEqual([]);
  });
});

describe("asking", () => {
  const never = Promise.withResolvers<void>().promise;
  function recorded(isBegun: boolean, later: Promise<void> = never) {
    const wakes: [string, number][] = [];
    const probes: string[] = [];
    const stopping = new AbortController();
    const host = { delay: () => later };
    let begun = isBegun;
    const active = partsOf({ log: logOf([]), step: () => undefined }).destination("a");
    let state: DestinationState = active;
    const asked = new AskedRetries({
      host,
      stopping: stopping.signal,
      nowMs: () => NOW_MS,
      destinations: { state: () => state },
      queues: { askForProbe: (endpoint) => probes.push(endpoint) },
      waker: () => (begun ? { asked: (id, beforeMs) => wakes.push([id, beforeMs]) } : undefined),
    });
    const begin = () => {
      begun = true;
    };
    const pause = () => {
      state = { kind: "paused", sinceMs: 0, limitMs: undefined };
    };
    return { asked, begin, pause, probes, stopping, wakes };
  }

  test("wakes what failed until now, by the clock of the process that made the attempts, and lets a probe through", () => {
    const { asked, probes, wakes } = recorded(true);
    asked.add("a", NOW_MS - 5_000);
    expect(wakes).toEqual([["a", NOW_MS]]);
    expect(probes).toEqual([endpointOf("a")]);
  });

  test("that was read at the start is taken up when partitions come, and once more with other partitions", () => {
    const { asked, begin, wakes } = recorded(false);
    asked.add("a", NOW_MS - 5_000);
    begin();
    asked.again();
    asked.again();
    expect(wakes).toEqual([
      ["a", NOW_MS - 5_000],
      ["a", NOW_MS - 5_000],
    ]);
  });

  test("that was read at the start asks for no probe before there is anything to wake", () => {
    const { asked, probes } = recorded(false);
    asked.add("a", NOW_MS);
    expect(probes).toEqual([]);
  });

  test("wakes once more when what others put off meanwhile is in the topics, unless the process ends", async () => {
    for (const isEnding of [false, true]) {
      const { promise: later, resolve } = Promise.withResolvers<void>();
      const { asked, stopping, wakes } = recorded(true, later);
      asked.add("a", NOW_MS - 5_000);
      if (isEnding) stopping.abort();
      resolve();
      await new Promise(setImmediate);
      expect(wakes).toEqual(Array(isEnding ? 1 : 2).fill(["a", NOW_MS]));
    }
  });

  test("that is as old as the longest wait is taken up still", () => {
    const { asked, begin, wakes } = recorded(false);
    asked.add("a", NOW_MS - 30 * 60_000);
    begin();
    asked.again();
    expect(wakes).toHaveLength(1);
  });

  test("that is older than any wait is forgotten", () => {
    const { asked, begin, wakes } = recorded(false);
    asked.add("a", NOW_MS - 31 * 60_000);
    begin();
    asked.again();
    expect(wakes).toEqual([]);
  });

  test("wakes nothing of a destination that is paused", () => {
    const { asked, pause, wakes } = recorded(true);
    pause();
    asked.add("a", NOW_MS);
    expect(wakes).toEqual([]);
  });
});
