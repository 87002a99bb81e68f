// Kafka goes away under load and comes back: ingest says 503 meanwhile, and nothing that was acknowledged is missing (contract 7.3).
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type Stack, startStack } from "#stack";
import { type Deployment, startDeployment } from "#support/deployment";
import { environment } from "#support/environment";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";
import { account, state } from "./conservation.ts";
import { startLoad } from "./load.ts";

const SECRET = "outage-test";
let stack: Stack;
let deployment: Deployment;
let receiver: Receiver;

beforeAll(async () => {
  stack = await startStack({ environment, own: true, log: () => undefined });
  deployment = await startDeployment({ stack });
  receiver = await startReceiver({ secret: SECRET });
}, 240_000);

afterAll(async () => {
  await deployment.stop();
  await receiver.close();
  await stack.stop();
}, 60_000);

test("Kafka stopped and started under load: 503 meanwhile, every acknowledged call arrives", async () => {
  const { id, writeKeys } = await deployment.control.createSource();
  await deployment.control.createDestination({
    sourceIds: [id],
    sharedSecret: SECRET,
    webhooks: [{ url: receiver.url("/outage") }],
  });
  const load = startLoad(deployment, { writeKey: writeKeys[0] });
  await receiver.untilReceived("/outage", 100);

  await stack.broker(0).kill();
  await until(() => (load.refusals.get(503) ?? 0) > 20, {
    timeoutMs: 30_000,
    what: () => "ingest to answer 503",
  });
  const acknowledgedBefore = load.acknowledged.size;
  await stack.broker(0).start();
  await until(() => load.acknowledged.size > acknowledgedBefore + 100, {
    timeoutMs: 60_000,
    what: () => "ingest to accept again",
  });
  await load.stop();

  const result = await account({ deployment, receiver, load, timeoutMs: 60_000 });
  state("Kafka killed and started", result);
  expect(result.lost).toEqual([]);
  expect(result.altered).toBe(0);
  expect([...load.refusals.keys()].filter((status) => status !== 503)).toEqual([]);
}, 240_000);
