// What statistics say of calls while processes are killed under load, through every service on real Kafka: every accepted call is in exactly one of
// them, and every delivery at exactly one end.
import { randomUUID } from "node:crypto";
import { expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { until } from "#support/until";
import { deployment, receiver, useDeployment } from "#support/use-deployment";

const BATCHES = 60;
/** Sent after the last kill, so that no process takes the names of these along. */
const BATCHES_AFTER_KILLS = 10;
const CALLS_A_BATCH = 50;
const KILLED = ["webhook-router", "deliverer", "webhook-router", "control"] as const;

type Counts = Readonly<Record<string, number>>;

interface CallStats {
  readonly eventName?: string | null;
  readonly others?: boolean;
  readonly accepted: number;
  readonly routed: number;
  readonly dropped: Readonly<Record<string, number>>;
  readonly failed: number;
  readonly deliveries: {
    readonly sent: number;
    readonly passedOver: Readonly<Record<string, number>>;
    readonly dead: Readonly<Record<string, number>>;
    readonly waiting: number | null;
    readonly delivered: number | null;
  };
  readonly requests: { readonly attempts: Counts; readonly latency: { readonly p99Ms: number | null } };
}

interface Answer {
  readonly data: readonly CallStats[];
  readonly total: CallStats;
}

useDeployment();

const totalOf = (counts: Counts) => Object.values(counts).reduce((total, count) => total + count, 0);

async function statsOf(path: string): Promise<Answer> {
  return (await requestJson<Answer>(`${deployment.controlUrl()}${path}`)).body;
}

/** Of each batch one call in five is a copy, one is not for the filter, and one dies at its endpoint. */
function batchOf(number: number) {
  return Array.from({ length: CALLS_A_BATCH }, (_, at) => {
    const isCopy = at % 5 === 4;
    return {
      ...{ type: at % 2 === 0 ? "track" : "identify", event: at % 5 === 3 ? "Other" : "Order" },
      ...{ userId: `u${number}-${isCopy ? at - 2 : at}`, messageId: `m${number}-${isCopy ? at - 2 : at}` },
    };
  });
}

/** Until it is answered: a batch without an answer may be stored or not, so none is left so. */
async function sendBatches(writeKey: string, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number += 1) {
    const { status } = await deployment.send(writeKey, "batch", { batch: batchOf(number) });
    expect(status).toBe(200);
  }
}

test("counts add up, step by step, after kills", async () => {
  const source = await deployment.control.createSource();
  const create = (path: string, options: object = {}) =>
    deployment.control.createDestination({
      ...{ name: `${path}-${randomUUID()}`, sourceIds: [source.id] },
      webhooks: [{ url: receiver.url(path) }],
      ...options,
    });
  await create("/all");
  await create("/orders", { events: ["Order"], callTypes: ["track"] });
  receiver.script("/dead", { status: 400 });
  const { id: dying } = await create("/dead");
  receiver.script("/away", { status: 503 });
  const { id: away } = await create("/away");

  const [writeKey] = source.writeKeys;
  const sending = sendBatches(writeKey, 0, BATCHES - BATCHES_AFTER_KILLS);
  for (const name of KILLED) {
    const process = deployment.service(name);
    await process.kill();
    await process.restart();
  }
  await sending;
  await sendBatches(writeKey, BATCHES - BATCHES_AFTER_KILLS, BATCHES);

  const accepted = BATCHES * CALLS_A_BATCH;
  const copies = accepted / 5;
  const path = `/v1/sources/${source.id}/stats`;
  const { data, total } = await until(
    async () => {
      const answer = await statsOf(path);
      const { dead, waiting } = answer.total.deliveries;
      const areDead = totalOf(dead) >= accepted - copies;
      const isOver = answer.total.accepted >= accepted && areDead && waiting === accepted - copies;
      return isOver ? answer : undefined;
    },
    { timeoutMs: 240_000, what: "all calls to be counted" },
  );
  expect({
    accepted: total.accepted,
    dropped: total.dropped,
    failed: total.failed,
    routed: total.routed,
  }).toEqual({
    ...{ accepted, dropped: { duplicate: copies }, failed: 0, routed: accepted - copies },
  });
  const { deliveries } = total;
  expect(deliveries.sent + totalOf(deliveries.passedOver)).toBe(4 * (accepted - copies));
  expect(deliveries.dead).toEqual({ permanent: accepted - copies });
  // Each delivery of the two others.
  expect(deliveries.delivered).toBe(deliveries.sent - 2 * (accepted - copies));
  for (const each of [...data, total]) {
    expect(each.accepted).toBe(each.routed + totalOf(each.dropped) + each.failed);
    addUp(each.deliveries);
  }
  for (const query of [
    "?step=hour",
    "?step=day",
    "?groupBy=eventType",
    "?groupBy=eventName",
    "?groupBy=reason",
  ]) {
    const stepped = await statsOf(`${path}${query}`);
    expect({ ...stepped.total, requests: null }).toEqual({ ...total, requests: null });
    expect(stepped.data.reduce((sum, each) => sum + each.accepted, 0)).toBe(accepted);
  }
  await namesAndRequestsAddUp(path, accepted);
  const all = { sent: accepted - copies, passedOver: {}, dead: {}, waiting: 0, delivered: 0 };
  expect(await callsOf(dying)).toEqual({ ...all, dead: { permanent: accepted - copies } });
  expect(await callsOf(away)).toEqual({ ...all, waiting: accepted - copies });
  // What it knew is lost, and read again.
  await deployment.service("control").kill();
  await deployment.service("control").restart();
  expect(
    await until(
      async () => {
        const calls = await callsOf(away).catch(() => undefined);
        return calls?.waiting === accepted - copies ? calls : undefined;
      },
      { timeoutMs: 60_000, what: "the waiting calls to be counted again" },
    ),
  ).toEqual({ ...all, waiting: accepted - copies });
}, 600_000);

/** Each delivery is at exactly one end, or waits. */
function addUp({ dead, delivered, sent, waiting }: CallStats["deliveries"]): void {
  expect([waiting, delivered]).toEqual([expect.any(Number), expect.any(Number)]);
  expect(sent).toBe(totalOf(dead) + (waiting ?? 0) + (delivered ?? 0));
}

async function callsOf(destinationId: string): Promise<CallStats["deliveries"]> {
  const path = `${deployment.controlUrl()}/v1/destinations/${destinationId}/stats`;
  return (await requestJson<{ total: { calls: CallStats["deliveries"] } }>(path)).body.total.calls;
}

/** Half of the calls are track calls; a killed control takes up to ten seconds of their names with it. Each group of requests is a part of the same answer's total. */
async function namesAndRequestsAddUp(path: string, accepted: number): Promise<void> {
  const named = (await statsOf(`${path}?groupBy=eventName&step=day`)).data;
  const of = (isMeant: (entry: CallStats) => boolean) =>
    named.filter(isMeant).reduce((sum, each) => sum + each.accepted, 0);
  const isTrack = ({ eventName, others }: CallStats) => others === true || eventName !== null;
  expect([of(isTrack), of((entry) => !isTrack(entry))]).toEqual([accepted / 2, accepted / 2]);
  const after = Array.from({ length: BATCHES_AFTER_KILLS }, (_, number) => batchOf(number)).flat();
  const orders = after.filter((call) => call.type === "track" && call.event === "Order");
  expect(of(({ eventName }) => eventName === "Order")).toBeGreaterThanOrEqual(orders.length);
  for (const groupBy of ["webhook", "status", "reason"]) {
    const { data, total } = await statsOf(`${path}?groupBy=${groupBy}`);
    const sums = new Map<string, number>();
    for (const { requests } of data)
      for (const [outcome, count] of Object.entries(requests.attempts))
        sums.set(outcome, (sums.get(outcome) ?? 0) + count);
    expect(Object.fromEntries(sums)).toEqual(total.requests.attempts);
    expect(total.requests.attempts["success"]).toBeGreaterThan(0);
    expect(total.requests.latency.p99Ms).toBeGreaterThan(0);
  }
}
