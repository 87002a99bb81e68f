// What statistics say of calls while processes are killed under load, through every service on real Kafka: every accepted call is in exactly one of
// them, and every delivery at exactly one end.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { requestJson } from "#support/api";
import { type Deployment, startDeployment } from "#support/deployment";
import { type Receiver, startReceiver } from "#support/receiver";
import { until } from "#support/until";

const BATCHES = 60;
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
    readonly deliveredOrWaiting: number;
  };
  readonly requests: { readonly attempts: Counts; readonly latency: { readonly p99Ms: number | null } };
}

interface Answer {
  readonly data: readonly CallStats[];
  readonly total: CallStats;
}

let deployment: Deployment;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  deployment = await startDeployment();
}, 400_000);
afterAll(async () => {
  await deployment?.stop();
  await receiver.close();
}, 120_000);

const totalOf = (counts: Counts) => Object.values(counts).reduce((total, count) => total + count, 0);

async function statsOf(path: string): Promise<Answer> {
  return (await requestJson<Answer>(`${deployment.controlUrl()}${path}`)).body;
}

/** Of each batch one call in five is a copy, one is not for the filter, and one dies at its endpoint. */
function batchOf(number: number): object[] {
  return Array.from({ length: CALLS_A_BATCH }, (_, at) => {
    const isCopy = at % 5 === 4;
    return {
      ...{ type: at % 2 === 0 ? "track" : "identify", event: at % 5 === 3 ? "Other" : "Order" },
      ...{ userId: `u${number}-${isCopy ? at - 2 : at}`, messageId: `m${number}-${isCopy ? at - 2 : at}` },
    };
  });
}

/** Until it is answered: a batch without an answer may be stored or not, so none is left so. */
async function sendAll(writeKey: string): Promise<void> {
  for (let number = 0; number < BATCHES; number += 1) {
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

  const sending = sendAll(source.writeKeys[0]);
  for (const name of KILLED) {
    const process = deployment.service(name);
    await process.kill();
    await process.restart();
  }
  await sending;

  const accepted = BATCHES * CALLS_A_BATCH;
  const copies = accepted / 5;
  const path = `/v1/sources/${source.id}/stats`;
  const { data, total } = await until(
    async () => {
      const answer = await statsOf(path);
      const isOver =
        answer.total.accepted >= accepted && totalOf(answer.total.deliveries.dead) >= accepted - copies;
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
  expect(deliveries.sent + totalOf(deliveries.passedOver)).toBe(3 * (accepted - copies));
  expect(deliveries.dead).toEqual({ permanent: accepted - copies });
  expect(deliveries.deliveredOrWaiting).toBe(deliveries.sent - (accepted - copies));
  for (const each of [...data, total]) {
    expect(each.accepted).toBe(each.routed + totalOf(each.dropped) + each.failed);
    expect(each.deliveries.sent).toBe(totalOf(each.deliveries.dead) + each.deliveries.deliveredOrWaiting);
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
  const one = await requestJson<{ total: { calls: CallStats["deliveries"] } }>(
    `${deployment.controlUrl()}/v1/destinations/${dying}/stats`,
  );
  expect(one.body.total.calls).toEqual({
    ...{
      sent: accepted - copies,
      passedOver: {},
      dead: { permanent: accepted - copies },
      deliveredOrWaiting: 0,
    },
  });
}, 600_000);

/** Half of the calls are track calls; a killed control takes up to ten seconds of their names with it. Each group of requests is a part of the same answer's total. */
async function namesAndRequestsAddUp(path: string, accepted: number): Promise<void> {
  const named = (await statsOf(`${path}?groupBy=eventName&step=day`)).data;
  const of = (isMeant: (entry: CallStats) => boolean) =>
    named.filter(isMeant).reduce((sum, each) => sum + each.accepted, 0);
  const isTrack = ({ eventName, others }: CallStats) => others === true || eventName !== null;
  expect([of(isTrack), of((entry) => !isTrack(entry))]).toEqual([accepted / 2, accepted / 2]);
  expect(of(({ eventName }) => eventName === "Order")).toBeGreaterThan(0);
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
