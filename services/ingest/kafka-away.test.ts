// Kafka goes away and comes back (contract 7.3): a stack whose broker may be stopped.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { freePorts, type Stack } from "#stack";
import { shortest } from "#support/shortest";
import { TURN_TIMEOUT_MS, takeStack } from "#support/turn";
import { until } from "#support/until";
import { post } from "./fixtures/http.ts";
import { type Cluster, openCluster, type RunningIngest, startIngest } from "./fixtures/kafka.ts";

let stack: Stack;
let cluster: Cluster;
let running: RunningIngest;

beforeAll(async () => {
  stack = await takeStack({ brokers: 1 });
  cluster = await openCluster(stack);
  await cluster.putSource({ id: "src_1", writeKeys: ["wk_1"] });
}, TURN_TIMEOUT_MS);

afterAll(async () => {
  await running.service.stop();
  await cluster.close();
  await stack.stop();
}, 180_000);

async function answer(base: string) {
  const sentAtMs = performance.now();
  const body = { event: "E", userId: "u", writeKey: "wk_1" };
  const { status, headers } = await post({ url: base }, "/v1/track", { body, headers: {} });
  return { status, retryAfter: headers.get("retry-after"), tookMs: performance.now() - sentAtMs };
}

const get = async (url: string) => {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
};

test("it starts without Kafka, refuses while it is away, and takes calls again by itself", async () => {
  await stack.broker(0).stop();
  // The ports are chosen here, because the ready line that names them does not come yet.
  const [ingestPort = "", metricsPort = ""] = (await freePorts(2)).map(String);
  running = startIngest(stack, cluster.prefix, {
    HOOKLINE_INGEST_PORT: ingestPort,
    HOOKLINE_METRICS_PORT: metricsPort,
  });
  const url = `http://127.0.0.1:${ingestPort}`;
  const operations = `http://127.0.0.1:${metricsPort}`;

  // Started without Kafka: alive, not ready and says why, 503 at once.
  const within = (what: string) => ({ timeoutMs: 60_000, what });
  await until(
    async () => (await get(`${operations}/livez`).catch(() => undefined))?.status === 200,
    within("liveness"),
  );
  await until(
    async () => (await get(`${operations}/readyz`)).text.includes("kafka"),
    within("the reason to be named"),
  );
  expect((await get(`${operations}/readyz`)).status).toBe(503);
  expect(await answer(url)).toMatchObject({ status: 503, retryAfter: "5" });

  // Kafka comes.
  await stack.broker(0).start();
  await running.service.ready;
  expect(await answer(url)).toMatchObject({ status: 200 });

  // Kafka goes: no request waits for much longer than the 4 s that it has, none for the one before, and the process stays.
  await stack.broker(0).kill();
  const refused = await Promise.all(Array.from({ length: 20 }, () => answer(url)));
  expect(refused.map(({ status }) => status)).toEqual(new Array(20).fill(503));
  expect(Math.max(...refused.map(({ tookMs }) => tookMs))).toBeLessThan(20_000);
  await until(
    async () => (await get(`${operations}/readyz`)).text.includes("kafka"),
    within("the reason to be named"),
  );
  expect((await get(`${operations}/livez`)).status).toBe(200);
  // Refused at once: one that waited for Kafka takes 4 s, and so would each of them.
  expect(await shortest(async () => (await answer(url)).tookMs)).toBeLessThan(2_000);

  // Kafka comes back.
  await stack.broker(0).start();
  await until(async () => (await answer(url)).status === 200, within("calls to be taken again"));
  await until(async () => (await get(`${operations}/readyz`)).status === 200, within("readiness"));
}, 180_000);
