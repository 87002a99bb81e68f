// One call's trace through every service on real Kafka, as a collector gets it: from the SDK's header to the webhook's, retries included.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { metricsOf, sumOfMetric } from "#support/metrics";
import { type ReceivedSpan, type SpanReceiver, startSpanReceiver } from "#support/span-receiver";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const TIMEOUT_MS = 60_000;
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
const STATE = "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE";
const SHARED_SECRET = "the-destination-has-a-secret";

let collector: SpanReceiver;

beforeAll(async () => {
  collector = await startSpanReceiver();
});
useDeployment(() => ({
  retryDelaysMs: [200, 400],
  settings: { HOOKLINE_TRACES_URL: collector.url, HOOKLINE_TRACES_ONE_IN: "0" },
}));
afterAll(() => collector?.close());

async function destination(path: string) {
  const { id, writeKeys } = await deployment.control.createSource();
  const webhooks = [{ url: receiver.url(path), headers: { "X-Token": "a-static-secret" } }];
  await deployment.control.createDestination({ sourceIds: [id], webhooks, sharedSecret: SHARED_SECRET });
  return (body: object, headers?: Record<string, string>) =>
    deployment.send(writeKeys[0], "track", { userId: "u1", event: "E", ...body }, headers);
}

const named = (name: string) => collector.spans.filter((span) => span.name === name);

test("a call that is retried is one trace: the caller's, ingest's, the router's, and each request to the webhook", async () => {
  const send = await destination("/ill?token=in-the-query");
  receiver.script("/ill?token=in-the-query", { status: 503 }, { status: 503 }, { status: 200 });
  const messageId = "traced";
  await send(
    { messageId, properties: { secret: "in-the-body" } },
    { traceparent: `00-${TRACE}-${CALLER}-01`, tracestate: STATE },
  );

  const requests = await receiver.untilReceived("/ill?token=in-the-query", 3, TIMEOUT_MS);
  await until(() => collector.spans.length >= 5, {
    timeoutMs: TIMEOUT_MS,
    what: () => `five spans; there are ${JSON.stringify(collector.spans)}`,
  });
  const [entered] = named("POST /v1/{type}");
  const [routed] = named("route call");
  const posts = named("POST webhook");
  expect(collector.spans.map(({ traceId }) => traceId)).toEqual(new Array(5).fill(TRACE));
  expect(entered).toMatchObject({
    service: "hookline-ingest",
    parentSpanId: CALLER,
    attributes: { "http.response.status_code": 200, "hookline.calls": 1 },
  });
  // The job, and what became of the call.
  expect(routed).toMatchObject({
    service: "hookline-webhook-router",
    parentSpanId: entered?.spanId,
    attributes: { "hookline.message.id": messageId, "hookline.records_written": 2 },
  });
  expect(posts.map(outcomeOf)).toEqual([
    ["hookline-deliverer", routed?.spanId, 1, 503, true],
    ["hookline-deliverer", routed?.spanId, 2, 503, true],
    ["hookline-deliverer", routed?.spanId, 3, 200, false],
  ]);
  expect(requests.map(({ headers }) => headers["traceparent"])).toEqual(
    posts.map(({ spanId }) => `00-${TRACE}-${spanId}-01`),
  );
  expect(collector.spans.map(({ traceState }) => traceState)).toEqual(new Array(5).fill(STATE));
  expect(requests.map(({ headers }) => headers["tracestate"])).toEqual(new Array(3).fill(STATE));
  for (const secret of [SHARED_SECRET, "a-static-secret", "in-the-query", "in-the-body"])
    expect(collector.text()).not.toContain(secret);
}, 180_000);

function outcomeOf({ attributes, isError, parentSpanId, service }: ReceivedSpan) {
  const { "hookline.attempt": attempt, "http.response.status_code": status } = attributes;
  return [service, parentSpanId, attempt, status, isError];
}

test("a call that is not traced is delivered without a header, and makes no span", async () => {
  const send = await destination("/plain");
  const before = collector.spans.length;
  await send({ messageId: "plain" });
  const [request] = await receiver.untilReceived("/plain", 1, TIMEOUT_MS);
  expect(request?.headers["traceparent"]).toBeUndefined();
  expect(collector.spans).toHaveLength(before);
}, 180_000);

test("a collector that is away delays no call, and holds no end up", async () => {
  const send = await destination("/away");
  collector.answer(undefined);
  for (let index = 0; index < 50; index += 1)
    await send({ messageId: `away-${index}` }, { traceparent: `00-${TRACE}-${CALLER}-01` });
  await receiver.untilReceived("/away", 50, TIMEOUT_MS);
  const ingest = deployment.service("ingest");
  expect(sumOfMetric(await metricsOf(ingest), 'hookline_trace_spans_total{outcome="dropped"}')).toBe(0);
  expect(await ingest.stop()).toBe(0);
  expect(ingest.logs.map(({ msg }) => msg)).toContain("the last spans could not be sent in time");
}, 180_000);
