// POST /v1/filters/test on real Kafka: the calls are written by the test, as ingest and a router would.
import { beforeAll, expect, test } from "@jest/globals";
import { call, routedCall } from "#support/records";
import { until } from "#support/until";
import type { Call } from "#topics";
import { control, sourceId, topics, useTopics } from "../fixtures/use-topics.ts";

const CALLS = 130;
const FROM_MS = Date.now() - 60_000;

/** Orders of rising totals; every tenth is an identify call, every twentieth is for another integration, the last one notifies of a deletion. */
function callAt(at: number): Call {
  const isIdentify = at % 10 === 0;
  const type = at === CALLS - 1 ? "delete" : isIdentify ? "identify" : "track";
  const event = type === "track" ? "Order" : null;
  const body = { type, event, properties: { total: at, note: "n".repeat(at === 5 + 30 ? 500 : 1) } };
  return call({
    ...{ messageId: `m${at}`, sourceId, type, event, receivedAtMs: FROM_MS + at },
    integrations: at % 20 === 1 ? { All: false } : {},
    body: Buffer.from(JSON.stringify(body)),
  });
}

useTopics();
beforeAll(async () => {
  await topics.write(
    control.topics.calls,
    Array.from({ length: CALLS }, (_, at) => callAt(at)),
  );
  const stored = await topics.read(control.topics.calls);
  const routed = stored.flatMap(({ offset, partition, value }) =>
    value === undefined ? [] : routedCall({ ...value, partition, offset }),
  );
  // One was routed again after a crash; of another Kafka has nothing any more.
  const [first = routedCall()] = routed;
  const gone = routedCall({ ...first, messageId: "gone", offset: 100_000, receivedAtMs: FROM_MS + CALLS });
  await topics.write(control.topics.routedCalls, [...routed, first, gone]);
  await until(async () => (await control.ask(`/v1/calls/gone?sourceId=${sourceId}`)).status === 200, {
    timeoutMs: 30_000,
    what: "the calls to be indexed",
  });
}, 180_000);

const testOf = (body: object) => control.ask("/v1/filters/test", { body: { sourceId, ...body } });
const OVER_100 = { event: "Order", where: [{ path: "properties.total", op: "gte", value: 100 }] };

test("the last hundred calls are judged as a router would, each with the condition that decided", async () => {
  const { body, status } = await testOf({ filter: OVER_100, callTypes: ["track"] });
  expect(status).toBe(200);
  const meant = Array.from({ length: 100 }, (_, index) => CALLS - 1 - index);
  expect(body.calls.map(({ messageId }: { messageId: string }) => messageId)).toEqual(
    meant.map((at) => `m${at}`),
  );
  const reasonOf = (at: number): string | null => {
    if (at % 20 === 1) return "integration_off";
    if (at === CALLS - 1) return null;
    if (at % 10 === 0) return "call_type_off";
    return at >= 100 ? null : "filter_off";
  };
  expect(body.calls.map(({ reason }: { reason: string | null }) => reason)).toEqual(meant.map(reasonOf));
  expect(body.sent).toBe(meant.filter((at) => reasonOf(at) === null).length);
  expect(body.passedOver).toEqual({
    integration_off: meant.filter((at) => reasonOf(at) === "integration_off").length,
    call_type_off: meant.filter((at) => reasonOf(at) === "call_type_off").length,
    filter_off: meant.filter((at) => reasonOf(at) === "filter_off").length,
  });
  expect(body.isWhole).toBe(true);
  const byId = (at: number) => body.calls.find((one: { messageId: string }) => one.messageId === `m${at}`);
  expect(byId(CALLS - 1)).toMatchObject({ isSent: true, type: "delete", why: [] });
  expect(byId(99).why).toEqual([{ path: "filter.where[0]", holds: false, value: 99 }]);
  expect(byId(102).why).toEqual([
    { path: "filter.event", holds: true, value: "Order" },
    { path: "filter.where[0]", holds: true, value: 102 },
  ]);
});

test("without a filter all are sent but for the lists; a long value is cut", async () => {
  const all = await testOf({ filter: null, events: ["Refund"], limit: 3 });
  expect(all.body.calls.map(({ reason }: { reason: string | null }) => reason)).toEqual([
    ...[null, "event_off", "event_off"],
  ]);
  const long = await testOf({ filter: { path: "properties.note", op: "eq", value: "x" } });
  const shown = long.body.calls.find((one: { messageId: string }) => one.messageId === "m35").why[0].value;
  expect(shown).toBe(`${"n".repeat(200)}…`);
});

test("calls of which routers have recorded nothing are judged as well", async () => {
  const { id: unrecorded } = (await control.ask("/v1/sources", { body: { name: "Unrecorded" } })).body;
  const calls = [97, 102].map((at) => ({ ...callAt(at), sourceId: unrecorded }));
  await topics.write(control.topics.calls, calls);
  const { body } = await testOf({ sourceId: unrecorded, filter: OVER_100 });
  expect(body).toMatchObject({ sent: 1, passedOver: { filter_off: 1 }, isWhole: true });
});

test("what is wrong is named: of the filter as a destination would, the source, the limit", async () => {
  const wrong = await testOf({
    filter: { all: [{ path: "a", op: "is", value: 1 }, { trait: "plan" }] },
    limit: 101,
  });
  expect(wrong.status).toBe(422);
  expect(wrong.body.errors.map(({ path }: { path: string }) => path)).toEqual([
    "limit",
    "filter.all[0].op",
    "filter.all[1].trait",
  ]);
  expect((await testOf({ filter: null, sourceId: "none" })).status).toBe(404);
  expect((await control.ask("/v1/filters/test", { body: [] })).status).toBe(422);
});
