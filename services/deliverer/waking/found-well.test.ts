// Which requests tell waking that calls may wait for their endpoint, and who else does: its parts put together, with nothing to wake.
import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { Runner } from "#kafka";
import { createMetrics } from "#runtime";
import { topicMap } from "#topics";
import type { DelivererContext, Reading } from "../connection.ts";
import type { EndpointQueues, EndpointQueuesListener } from "../endpoints/endpoint-queues.ts";
import { job } from "../fixtures/jobs.ts";
import { endpointOf, logOf, partsOf } from "../fixtures/pass.ts";
import type { WebhookResult } from "../outcomes.ts";
import { openWaking } from "./open.ts";

const ENDPOINT = endpointOf("a");
const turns = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};

function setup() {
  const topics = topicMap({ prefix: "", retryDelaysMs: [10_000] });
  const stops = new Map<string, (graceMs: number) => Promise<void> | void>();
  const stopping = new AbortController();
  const loading = Promise.withResolvers<void>();
  const delays: (AbortSignal | undefined)[] = [];
  let looks = 0;
  let listener: EndpointQueuesListener | undefined;
  let ask: ((id: string, askedAtMs: number) => void) | undefined;
  const admin = {
    async offsets() {
      looks += 1;
      return [];
    },
  };
  const table = {
    load: () => loading.promise,
    failed: Promise.withResolvers<never>().promise,
    get: () => undefined,
    entries: () => new Map().entries(),
    size: 0,
  };
  const context = {
    host: {
      ...systemHost,
      async delay(ms: number, signal?: AbortSignal) {
        delays.push(signal);
        if (ms > 1_000) await Promise.withResolvers<void>().promise;
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
    kafka: { table: () => table, admin: () => admin },
    serde: {},
    topics,
    retryTopics: topics.deliveryRetries,
    groupId: "g",
  } as unknown as Reading;
  const queues = {
    listen(given: EndpointQueuesListener) {
      listener = given;
    },
    askForProbe: () => undefined,
  } as unknown as EndpointQueues;
  const { destination } = partsOf({ log: logOf([]), step: () => undefined });
  const waking = openWaking(context, connection, {
    producer: { send: async () => undefined },
    destinations: {
      state: destination,
      onRetryAsked(given) {
        ask = given;
      },
    },
    queues,
  });
  return {
    ask: () => ask?.("a", 0),
    begin: () => waking.begin({ assigned: [] } as unknown as Runner, () => undefined),
    delays,
    listener: () => listener,
    loading,
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

test("so has one that is back, one that has room, and those of a destination that somebody asked for", async () => {
  const { ask, begin, listener, looksAfter } = setup();
  begin();
  expect(await looksAfter(() => listener()?.onRecovered("a"))).toBe(1);
  expect(await looksAfter(() => listener()?.onRoom("b"))).toBe(1);
  // And once more, for what others put off meanwhile, when their time is over.
  expect(await looksAfter(ask)).toBe(1);
});

test("partitions are read once the cursors of their last owners are", async () => {
  const { loading, waking } = setup();
  let isLoaded = false;
  void waking.loaded().then(() => {
    isLoaded = true;
  });
  await turns();
  expect(isLoaded).toBe(false);
  loading.resolve();
  await turns();
  expect(isLoaded).toBe(true);
});

test("the end of the process ends it: nothing is looked for, and no cursor is forgotten any more", async () => {
  const { begin, delays, looksAfter, stops, waking } = setup();
  begin();
  const [forgetting] = delays;
  await stops.get("waking")?.(5_000);
  void stops.get("wake cursors")?.(0);
  expect(forgetting?.aborted).toBe(true);
  expect(await looksAfter(() => waking.requested(retry, well))).toBe(0);
});
