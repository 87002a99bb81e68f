// No definition that is taken, and no call, holds the event loop of a service for long: on real Kafka, with the worst of both.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { type Deployment, startDeployment } from "#support/deployment";
import { type Receiver, startReceiver } from "#support/receiver";
import type { ServiceProcess } from "#support/service";
import { until } from "#support/until";
import { spaceOfSearches, worstFilter, worstProperties } from "../bench/worst-definitions.ts";

const WATCH = pathToFileURL(join(import.meta.dirname, "../support/watch-turns.ts")).href;
/** Four times what `npm run bench -- parts --longest-turn` asks for, so that a machine of another speed does not break it; without bounds it was seconds. */
const MAX_TURN_MS = 200;
const DESTINATIONS = 20;
const CALLS = 5;
const PATH = "/calls";
const ARRIVAL_MS = 120_000;

let deployment: Deployment;
let receiver: Receiver;
let processor: ServiceProcess;
let writeKey: string;

beforeAll(async () => {
  receiver = await startReceiver();
  deployment = await startDeployment({ settings: { NODE_OPTIONS: `--import ${WATCH}` } });
  processor = await deployment.addProcess("audience-processor");
}, 240_000);

afterAll(async () => {
  await deployment?.stop();
  await receiver?.close();
}, 60_000);

const ask = <T>(path: string, request: object = {}) =>
  requestJson<T>(`${deployment.controlUrl()}${path}`, request);

/** Of what a service did since then. */
function longTurns({ logs }: ServiceProcess, from: number): number[] {
  return logs.slice(from).flatMap(({ msg, tookMs }) => (msg === "a long turn" ? Number(tookMs) : []));
}

test("filters, audiences and a preview at their limits hold no service for long", async () => {
  const services = [deployment.service("webhook-router"), deployment.service("control"), processor];
  const from = services.map(({ logs }) => logs.length);
  const { id: sourceId, writeKeys } = await deployment.control.createSource();
  writeKey = writeKeys[0];
  for (let index = 0; index < DESTINATIONS; index += 1)
    await deployment.control.createDestination({
      sourceIds: [sourceId],
      webhooks: [{ url: receiver.url(`${PATH}/${index}`) }],
      filter: worstFilter(index),
    });
  const audiences = await Promise.all(
    spaceOfSearches().map((definition, index) =>
      ask<{ id: string }>("/v1/audiences", {
        body: { name: `Worst ${index}`, kind: "audience", definition },
      }),
    ),
  );
  expect(audiences.map(({ status }) => status)).toEqual(audiences.map(() => 201));
  for (let index = 0; index < CALLS; index += 1) {
    const properties = worstProperties(index);
    await deployment.send(writeKey, "track", { userId: `u${index}`, event: "Read", properties });
    await deployment.send(writeKey, "identify", { userId: `u${index}`, traits: { text: properties } });
  }
  for (let index = 0; index < DESTINATIONS; index += 1)
    await receiver.untilReceived(`${PATH}/${index}`, CALLS, ARRIVAL_MS);
  const last = audiences.at(-1)?.body.id;
  const members = async () =>
    (await ask<{ members?: number }>(`/v1/audiences/${last}`)).body.members === CALLS;
  await until(members, { timeoutMs: ARRIVAL_MS, what: `${CALLS} members of the last audience` });
  const [definition] = spaceOfSearches();
  expect((await ask("/v1/audiences/preview", { body: { definition } })).status).toBe(200);
  const tested = await ask<{ calls: object[] }>("/v1/filters/test", {
    body: { sourceId, filter: worstFilter(0) },
  });
  expect([tested.status, tested.body.calls.length]).toEqual([200, 2 * CALLS]);
  const turns = services.map(({ name, logs }, at) => [
    name,
    Math.max(0, ...longTurns({ logs } as ServiceProcess, from[at] ?? 0)),
  ]);
  for (const [name, longestMs] of turns)
    expect({ name, isLong: Number(longestMs) > MAX_TURN_MS, longestMs }).toMatchObject({ isLong: false });
}, 400_000);
