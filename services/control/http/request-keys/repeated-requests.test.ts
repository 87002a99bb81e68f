// Idempotency-Key on a real Kafka, with several processes of control.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type ControlService, startControl } from "#support/control-service";
import { startService } from "#support/service";
import { until } from "#support/until";

let one: ControlService;
let other: ControlService;
/** How far the other one's clock is ahead. */
let aheadMs = 0;

/** Requests to a webhook that a test answers. */
const held: ServerResponse[] = [];
const webhook = createServer((_, response) => void held.push(response));

beforeAll(async () => {
  await new Promise<void>((resolve) => void webhook.listen(0, "127.0.0.1", resolve));
  one = await startControl();
  const { keys, prefix, stack } = one;
  other = await startControl({ stack, prefix, keys, nowMs: () => Date.now() + aheadMs });
}, 180_000);
afterAll(async () => {
  webhook.closeAllConnections();
  webhook.close();
  await other?.stop();
  await one?.stop();
}, 180_000);

const untilHeld = (count: number) =>
  until(() => held.length >= count, { timeoutMs: 60_000, what: () => `request ${count} to the webhook` });

async function newDestination(): Promise<string> {
  const url = `http://127.0.0.1:${(webhook.address() as AddressInfo).port}/`;
  const { body } = await one.ask("/v1/destinations", {
    body: { name: "D", sourceIds: [], webhooks: [{ url }] },
  });
  return `/v1/destinations/${body.id}/test`;
}

type Answer = Awaited<ReturnType<ControlService["ask"]>>;

/** Asks again as long as it is told that the first request is under way: a busy machine may take longer than a request waits. */
async function answerOf(
  service: ControlService,
  ...asked: Parameters<ControlService["ask"]>
): Promise<Answer> {
  const isUnderWay = ({ status, headers }: Answer) => status === 409 && headers.get("retry-after") === "1";
  return await until(
    async () => {
      const answer = await service.ask(...asked);
      return isUnderWay(answer) ? undefined : answer;
    },
    { timeoutMs: 60_000, what: () => "an answer of the first request" },
  );
}

test("of two processes that are sent one request at once one carries it out, and both give its answer", async () => {
  for (let round = 1; round <= 5; round += 1) {
    const request = { body: { name: `Shop ${round}` }, headers: { "idempotency-key": `round-${round}` } };
    const answers = await Promise.all(
      [one, other].map((service) => answerOf(service, "/v1/sources", request)),
    );
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    expect(answers.map(({ headers }) => headers.get("idempotent-replayed")).sort()).toEqual([null, "true"]);
    const [first, second] = answers;
    expect(second?.text).toBe(first?.text);
    expect(second?.headers.get("etag")).toBe(first?.headers.get("etag"));
    // What either has made it shows at once, what the other one has made soon.
    for (const service of [one, other]) {
      const named = await until(
        async () => {
          const { data } = (await service.ask(`/v1/sources?name=Shop%20${round}`)).body;
          return data.length > 0 ? data : undefined;
        },
        { timeoutMs: 60_000, what: () => "the source" },
      );
      expect(named).toHaveLength(1);
    }
  }
  expect(await one.metrics()).toMatch(
    /hookline_control_keyed_requests_total\{outcome="(?:repeated|carried_out)"\} [1-5]/,
  );
}, 180_000);

test("a caller that hangs up and asks again gets the answer that it did not wait for", async () => {
  const path = await newDestination();
  const headers = { "idempotency-key": "hung-up" };
  const hangUp = new AbortController();
  const before = held.length;
  const left = fetch(`${one.url}${path}`, { method: "POST", headers, signal: hangUp.signal });
  await untilHeld(before + 1);
  hangUp.abort();
  await expect(left).rejects.toThrow();
  held.at(-1)?.writeHead(200).end("taken");
  const again = await answerOf(other, path, { method: "POST", headers });
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
  expect(again.body.webhooks[0].response).toBe("taken");
  expect(held).toHaveLength(before + 1);
}, 180_000);

test("the request of a process that is killed is under way for a minute, and then carried out by another, once", async () => {
  const path = await newDestination();
  const request = { method: "POST", headers: { "idempotency-key": "killed" } };
  const victim = await startService({
    name: "control",
    settings: {
      HOOKLINE_KAFKA_BROKERS: one.stack.brokers.join(","),
      HOOKLINE_SCHEMA_REGISTRY_URL: one.stack.registryUrl,
      HOOKLINE_TOPIC_PREFIX: one.prefix,
      HOOKLINE_RETRY_DELAYS: "1s",
      HOOKLINE_ENCRYPTION_KEYS: one.keys,
      HOOKLINE_EGRESS_ALLOW_CIDRS: "127.0.0.0/8",
      HOOKLINE_RESPONSE_DEADLINE: "30s",
    },
  });
  const before = held.length;
  const lost = fetch(`http://127.0.0.1:${victim.ports["controlPort"]}${path}`, request);
  lost.catch(() => undefined);
  await untilHeld(before + 1);
  await victim.kill();
  await expect(lost).rejects.toThrow();

  const early = await other.ask(path, request);
  expect([early.status, early.headers.get("retry-after")]).toEqual([409, "1"]);
  expect(held).toHaveLength(before + 1);
  aheadMs = 60_000;
  const carriedOut = other.ask(path, request);
  await untilHeld(before + 2);
  held.at(-1)?.writeHead(200).end("taken");
  const { status, headers, text } = await carriedOut;
  expect([status, headers.get("idempotent-replayed")]).toEqual([200, null]);
  const again = await answerOf(one, path, request);
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([text, "true"]);
  expect(held).toHaveLength(before + 2);
}, 180_000);
