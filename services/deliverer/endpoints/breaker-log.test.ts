import { describe, expect, test } from "@jest/globals";
import type { EndpointBreaker } from "#topics";
import { answering, createTraffic, failing } from "../fixtures/traffic.ts";
import { BreakerLog } from "./breaker-log.ts";

const EPOCH_MS = Date.UTC(2026, 0, 1);

function setup() {
  const traffic = createTraffic();
  const { endpoints, queues } = traffic;
  const batches: (readonly EndpointBreaker[])[] = [];
  const writing: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  const log = new BreakerLog({
    queues,
    writer: "run",
    nowMs: () => EPOCH_MS + traffic.now(),
    elapsedMs: () => traffic.now(),
    onError: (error) => void errors.push(error),
    write(records) {
      batches.push(records);
      const one = Promise.withResolvers<void>();
      writing.push(one);
      return one.promise;
    },
  });
  /** Kafka has taken what was written; `taken` and `refused` write what there is first. */
  async function acknowledged(): Promise<void> {
    for (const one of writing.splice(0)) one.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }
  async function taken(): Promise<void> {
    log.flush();
    await acknowledged();
  }
  async function refused(): Promise<void> {
    log.flush();
    for (const one of writing.splice(0)) one.reject(new Error("no right to write"));
    await new Promise((resolve) => setImmediate(resolve));
  }
  endpoints.set("a", failing);
  /** So many requests that the endpoint's breaker opens. */
  function fail(endpoint = "a"): void {
    for (let count = 0; count < 20; count += 1) traffic.send(endpoint);
    traffic.run(100);
  }
  return { ...traffic, acknowledged, batches, errors, fail, log, refused, taken };
}

const statesIn = (batches: readonly (readonly EndpointBreaker[])[]) =>
  batches.map((batch) => batch.map(({ url, state }) => `${url} ${state}`));

describe("the log of breakers", () => {
  test("says nothing of an endpoint that is well, however many requests it gets", () => {
    const { batches, endpoints, log, run, send } = setup();
    endpoints.set("a", answering(10));
    for (let count = 0; count < 100; count += 1) send("a");
    run(1_000);
    log.flush();
    log.end();
    expect(batches).toEqual([]);
  });

  test("says once that one has opened, with the time of its next probe, and that it has closed", async () => {
    const { batches, endpoints, fail, log, now, queues, run, send, taken } = setup();
    fail();
    const { state, untilMs } = queues.breakerOf("a");
    expect([state, untilMs > now()]).toEqual(["open", true]);
    await taken();
    send("a");
    log.flush();
    expect(batches).toEqual([
      [
        {
          ...{ url: "a", writer: "run", state: "open", atMs: EPOCH_MS + now() },
          nextProbeAtMs: Math.round(EPOCH_MS + untilMs),
        },
      ],
    ]);
    endpoints.set("a", answering(400));
    run(untilMs - now() + 100);
    send("a");
    await taken();
    run(1_000);
    await taken();
    log.flush();
    expect(statesIn(batches).slice(1)).toEqual([["a half_open"], ["a closed"]]);
  });

  test("writes one batch at a time: while Kafka is away what changes meets in the next", async () => {
    const { acknowledged, batches, endpoints, fail, log, run, send } = setup();
    endpoints.set("b", failing);
    fail();
    log.flush();
    fail("b");
    for (let probes = 0; probes < 50; probes += 1) {
      run(10_000);
      send("a");
      log.flush();
    }
    expect(batches).toHaveLength(1);
    await acknowledged();
    run(100);
    log.flush();
    expect(statesIn(batches).slice(1)).toEqual([["b open", "a open"]]);
  });

  test("says what Kafka refuses, and tries again with the next change", async () => {
    const { batches, errors, fail, log, refused, run, send } = setup();
    fail();
    await refused();
    log.flush();
    expect([errors.length, batches.length]).toEqual([1, 1]);
    run(10_000);
    send("a");
    run(100);
    log.flush();
    expect(statesIn(batches)).toEqual([["a open"], ["a open"]]);
  });

  test("says again that one has closed when Kafka refused that, after a while and until it takes it", async () => {
    const { batches, endpoints, fail, log, now, queues, refused, run, send, taken } = setup();
    fail();
    await taken();
    endpoints.set("a", answering(10));
    run(queues.breakerOf("a").untilMs - now() + 100);
    send("a");
    run(1_000);
    await refused();
    for (let flushes = 0; flushes < 10; flushes += 1) log.flush();
    expect(statesIn(batches)).toEqual([["a open"], ["a closed"]]);
    run(30_000);
    await refused();
    run(30_000);
    await taken();
    run(60_000);
    log.flush();
    log.end();
    expect(statesIn(batches).slice(2)).toEqual([["a closed"], ["a closed"]]);
  });

  test("says that one has closed whose half open state Kafka refused", async () => {
    const { batches, endpoints, fail, log, now, queues, refused, run, send, taken } = setup();
    fail();
    await taken();
    endpoints.set("a", answering(400));
    run(queues.breakerOf("a").untilMs - now() + 100);
    send("a");
    await refused();
    run(1_000);
    log.flush();
    expect(statesIn(batches)).toEqual([["a open"], ["a half_open"], ["a closed"]]);
  });

  test("ends with the process: what was open is said to be closed", async () => {
    const { batches, fail, log, taken } = setup();
    fail();
    await taken();
    log.end();
    expect(statesIn(batches)).toEqual([["a open"], ["a closed"]]);
  });

  test("says that one is closed which the process has forgotten", async () => {
    const { batches, fail, log, run, taken } = setup();
    fail();
    await taken();
    run(2 * 3_600_000);
    log.flush();
    expect(statesIn(batches)).toEqual([["a open"], ["a closed"]]);
  });
});
