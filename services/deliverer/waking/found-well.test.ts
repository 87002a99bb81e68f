// Tests which requests, and which other events, tell waking that calls may wait for their endpoint: its parts
// put together, with nothing to wake.
import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { Runner } from "#kafka";
import { createMetrics } from "#runtime";
import { topicMap } from "#topics";
import type { DelivererContext, Reading } from "../connection.ts";
import { DestinationLimits } from "../endpoints/destination-limits.ts";
import type { EndpointQueues } from "../endpoints/endpoint-queues.ts";
import type { EndpointQueuesListener } from "../endpoints/parts.ts";
import { job } from "../fixtures/jobs.ts";
import { endpointOf, logOf, partsOf } from "../fixtures/pass.ts";
import type { WebhookResult } from "../outcomes.ts";
import { openWaking } from "./open.ts";

const ENDPOINT = endpointOf("a");
const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

function setup(retryDelaysMs = [10_000]) {
  const topics = topicMap({ prefix: "", retryDelaysMs });
  const stops = new Map<string, (graceMs: number) => Promise<void> | void>();
  const stopping = new AbortController();
  const loads: PromiseWithResolvers<void>[] = [];
  const delays: { readonly ms: number; readonly signal: AbortSignal | undefined }[] = [];
  let looks = 0;
  let listener: EndpointQueuesListener | undefined;
  const lookedAt: string[] = [];
  let lookTakes = Promise.resolve();
  const admin = {
    async offsets(topic: string) {
      looks += 1;
      lookedAt.push(topic);
      await lookTakes;
      return [];
    },
  };
  const table = {
    load() {
      const load = Promise.withResolvers<void>();
      loads.push(load);
      return load.promise;
    },
    loaded: false,
    onChange: () => () => undefined,
    get: () => undefined,
    entries: () => new Map().entries(),
    size: 0,
  };
  const context = {
    host: {
      ...systemHost,
      async delay(ms: number, signal?: AbortSignal) {
        delays.push({ ms, signal });
        // The search for requests never runs.
        if (ms > 1_000 || signal === stopping.signal) await Promise.withResolvers<void>().promise;
      },
    },
    lifecycle: {
      onStop: (name: string, stop: (graceMs: number) => Promise<void> | void) => void stops.set(name, stop),
      stopping: stopping.signal,
    },
    logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    metrics: createMetrics({ service: "deliverer", version: "0" }),
    nowMs: () => 0,
  } as unknown as DelivererContext;
  const connection = {
    kafka: {
      table: () => table,
      admin: () => admin,
    },
    serde: {},
    topics,
    retryTopics: topics.deliveryRetries,
    groupId: "g",
  } as unknown as Reading;
  const queues = {
    listen(given: EndpointQueuesListener) {
      listener = given;
    },
    askForProbe: () => true,
  } as unknown as EndpointQueues;
  const { destination } = partsOf({ log: logOf([]), step: () => undefined });
  const waking = openWaking(context, connection, {
    producer: { send: async () => undefined },
    destinations: { state: destination },
    queues,
    limits: new DestinationLimits({ queues, maxWaiting: 1, wantTick: () => undefined }),
  });
  return {
    begin: () => waking.begin({ assigned: [] } as unknown as Runner, () => undefined),
    delays,
    lookedAt,
    lookFor: (time: Promise<void>) => {
      lookTakes = time;
    },
    listener: () => listener,
    loads,
    stops,
    waking,
    async looksAfter(work: () => void): Promise<number> {
      const before = looks;
      work();
      await turns();
      return looks - before;
    },
  };
}

const retry = job({ attempts: 1 });
const diverted = job({ diverts: 1 });
const result = (url: string, outcome: WebhookResult["outcome"]): WebhookResult => ({
  url,
  outcome,
  message: "",
  startedAtMs: 0,
  durationMs: 1,
});
const well = result(ENDPOINT, { kind: "success", status: 200 });
const ill = result(ENDPOINT, { kind: "retryable", reason: "timeout" });

test("a call that had to wait and goes through has its endpoint looked for, once until partitions are given out again", async () => {
  const { begin, looksAfter, waking } = setup();
  const nobody = await looksAfter(() => waking.requested(retry, well));
  begin();
  const asOthers = await looksAfter(() => {
    waking.requested(job(), well);
    waking.requested(retry, ill);
  });
  expect([nobody, asOthers]).toEqual([0, 0]);
  expect(await looksAfter(() => waking.requested(retry, well))).toBe(1);
  expect(await looksAfter(() => waking.requested(diverted, well))).toBe(0);
  expect(await looksAfter(() => waking.requested(diverted, { ...well, url: "other" }))).toBe(1);
  expect(await looksAfter(() => waking.requested(retry, well))).toBe(0);
  waking.reassigned();
  expect(await looksAfter(() => waking.requested(retry, well))).toBe(1);
});

test("so has one that is back, and one that has room", async () => {
  const { begin, listener, looksAfter } = setup();
  begin();
  expect(await looksAfter(() => listener()?.onRecovered("a"))).toBe(1);
  expect(await looksAfter(() => listener()?.onRoom("b"))).toBe(1);
});

test("cursors are read once for all partitions that are given out, and again where that failed", async () => {
  const { loads, waking } = setup();
  const [first] = loads.splice(0);
  first?.resolve();
  waking.reassigned();
  const read = [waking.cursorsRead(), waking.cursorsRead()];
  loads[0]?.reject(new Error("no leader"));
  expect(await Promise.allSettled(read)).toMatchObject([{ status: "rejected" }, { status: "rejected" }]);
  expect(loads).toHaveLength(1);
  let isRead = false;
  void waking.cursorsRead().then(() => {
    isRead = true;
  });
  await turns();
  expect(isRead).toBe(false);
  loads[1]?.resolve();
  await turns();
  expect(isRead).toBe(true);
  waking.reassigned();
  expect(loads).toHaveLength(3);
});

test("the end of the process ends it: nothing is looked for, and no cursor is forgotten any more", async () => {
  const { begin, delays, looksAfter, stops, waking } = setup();
  begin();
  const [forgetting] = delays;
  await stops.get("waking")?.(5_000);
  void stops.get("wake cursors")?.(0);
  expect(forgetting?.signal?.aborted).toBe(true);
  expect(await looksAfter(() => waking.requested(retry, well))).toBe(0);
});

test("a pass that does not end has a second at the end of the process, or less when that has less", async () => {
  for (const [graceMs, waitsMs] of [
    [5_000, 1_000],
    [300, 300],
  ] as const) {
    const { begin, delays, lookFor, stops, waking } = setup();
    begin();
    const look = Promise.withResolvers<void>();
    lookFor(look.promise);
    waking.requested(retry, well);
    await turns();
    await stops.get("waking")?.(graceMs);
    expect(delays.at(-1)?.ms).toBe(waitsMs);
    look.resolve();
    await turns();
  }
});

test("what waits longest is looked at first", async () => {
  const { begin, lookedAt, waking } = setup([10_000, 60_000]);
  begin();
  waking.requested(retry, well);
  await turns();
  expect(lookedAt).toEqual(["delivery-retry-1m", "delivery-retry-10s"]);
});
