// No definition that is taken, and no call, holds the event loop of a service for long: on real Kafka, with the worst of both.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import type { ServiceProcess } from "#support/service";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";
import { spaceOfSearches, worstFilter, worstProperties } from "../bench/worst-definitions.ts";

const WATCH = pathToFileURL(join(import.meta.dirname, "../support/watch-turns.ts")).href;
/** The same for every service, as `npm run bench -- parts --longest-turn` has it. */
const MAX_TURN_MS = 50;
const DESTINATIONS = 20;
const CALLS = 5;
const PATH = "/calls";
const ARRIVAL_MS = 120_000;

let processor: ServiceProcess;
let writeKey: string;

useDeployment(() => ({ settings: { NODE_OPTIONS: `--import ${WATCH}` } }));

beforeAll(async () => {
  processor = await deployment.addProcess("audience-processor");
}, 180_000);

const ask = <T>(path: string, request: object = {}) =>
  requestJson<T>(`${deployment.controlUrl()}${path}`, request);

/** CPU time of the longest turn, in ms; 0 where none was long. */
function longestTurnMs(logs: ServiceProcess["logs"]): number {
  return Math.max(0, ...logs.flatMap(({ msg, tookMs }) => (msg === "a long turn" ? Number(tookMs) : [])));
}

/** Makes destinations and audiences, each as dear as one may be; the last audience's id. */
async function configureTheWorst(sourceId: string): Promise<string> {
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
  return audiences.at(-1)?.body.id ?? "";
}

/** Has calls of new users judged by all of them, and looked at by a preview and the test of a filter. */
async function judgeTheWorst(sourceId: string, lastAudienceId: string, round: number): Promise<void> {
  for (let index = 0; index < CALLS; index += 1) {
    const properties = worstProperties(index);
    const userId = `u${round}.${index}`;
    await deployment.send(writeKey, "track", { userId, event: "Read", properties });
    await deployment.send(writeKey, "identify", { userId, traits: { text: properties } });
  }
  const calls = CALLS * round;
  for (let index = 0; index < DESTINATIONS; index += 1)
    await receiver.untilReceived(`${PATH}/${index}`, calls, ARRIVAL_MS);
  const members = async () =>
    (await ask<{ members?: number }>(`/v1/audiences/${lastAudienceId}`)).body.members === calls;
  await until(members, { timeoutMs: ARRIVAL_MS, what: `${calls} members of the last audience` });
  const [definition] = spaceOfSearches();
  expect((await ask("/v1/audiences/preview", { body: { definition } })).status).toBe(200);
  const tested = await ask<{ calls: object[] }>("/v1/filters/test", {
    body: { sourceId, filter: worstFilter(0) },
  });
  expect([tested.status, tested.body.calls.length]).toEqual([200, 2 * calls]);
}

test("filters, audiences and a preview at their limits hold no service for long", async () => {
  const { id: sourceId, writeKeys } = await deployment.control.createSource();
  writeKey = writeKeys[0];
  const lastAudienceId = await configureTheWorst(sourceId);
  // In the first round code is loaded and compiled.
  await judgeTheWorst(sourceId, lastAudienceId, 1);
  const services = [deployment.service("webhook-router"), deployment.service("control"), processor];
  const longestMs = new Map(services.map(({ name }) => [name, [] as number[]]));
  for (const round of [2, 3, 4]) {
    const from = services.map(({ logs }) => logs.length);
    await judgeTheWorst(sourceId, lastAudienceId, round);
    for (const [at, { logs, name }] of services.entries())
      longestMs.get(name)?.push(longestTurnMs(logs.slice(from[at])));
  }
  // A service that stood still does in one turn what came meanwhile: that makes a turn of one round long, and not of each.
  expect([...longestMs].filter(([, ofRounds]) => Math.min(...ofRounds) > MAX_TURN_MS)).toEqual([]);
}, 500_000);
