import { beforeEach, expect, test } from "@jest/globals";
import { TestHost } from "#testing/host";
import type { Hold } from "../types.ts";
import { Deliveries } from "./deliveries.ts";

let host: TestHost;
let deliveries: Deliveries;
let ends: string[];

beforeEach(() => {
  host = new TestHost();
  deliveries = new Deliveries(host);
  ends = [];
});

function open(name: string, timeoutMs: number, records = 1, hold?: Hold) {
  const { delivery, done } = deliveries.open(records, 10 * records, { hold, timeoutMs });
  done.then(
    () => ends.push(`${name} written`),
    (error: { code: string }) => ends.push(`${name} ${error.code}`),
  );
  return delivery;
}

test("a call fails when its time is over, also when another one has ended meanwhile", async () => {
  const first = open("first", 1_000);
  open("second", 1_000);
  await host.advance(500);
  deliveries.acknowledge(first, 10);
  await host.advance(400);
  expect(ends).toEqual(["first written"]);
  await host.advance(200);
  expect(ends).toEqual(["first written", "second delivery_timeout"]);
});

test("a clock that is set back gives nobody more time", async () => {
  open("before", 1_000);
  await host.advance(500);
  const { now } = host;
  host.now = () => now.call(host) - 600_000;
  open("after", 1_000);
  await host.advance(1_500);
  expect(ends).toEqual(["before delivery_timeout", "after delivery_timeout"]);
});

test("those that have time left go on while older ones fail", async () => {
  open("short", 200);
  await host.advance(100);
  open("long", 1_000);
  await host.advance(300);
  expect(ends).toEqual(["short delivery_timeout"]);
  expect(deliveries.backlog).toEqual({ records: 1, bytes: 10, oldestElapsedMs: 100 });
  await host.advance(1_000);
  expect(ends).toEqual(["short delivery_timeout", "long delivery_timeout"]);
  expect(deliveries.backlog).toEqual({ records: 0, bytes: 0, oldestElapsedMs: undefined });
});

test("a call that has no deadline holds back none of those that come after it", async () => {
  open("durable", Number.POSITIVE_INFINITY);
  open("short", 200);
  await host.advance(300);
  expect(ends).toEqual(["short delivery_timeout"]);
});

test("no time is over while it is not known whose it is to write", async () => {
  const hold = { isHeld: false };
  open("held", 200, 1, hold);
  await host.advance(1_000);
  expect(ends).toEqual([]);
  hold.isHeld = true;
  await host.advance(100);
  expect(ends).toEqual(["held delivery_timeout"]);
});

test("a call of several records is over with the last of them, and nothing is counted behind its end", async () => {
  const delivery = open("call", 1_000, 2);
  deliveries.acknowledge(delivery, 10);
  expect(deliveries.backlog).toMatchObject({ records: 1, bytes: 10 });
  deliveries.fail(delivery, Object.assign(new Error("refused"), { code: "refused" }));
  deliveries.acknowledge(delivery, 10);
  await host.advance(0);
  expect([deliveries.backlog.records, deliveries.backlog.bytes, ends]).toEqual([0, 0, ["call refused"]]);
});

test("draining ends with the last call, or fails those that are left", async () => {
  const one = open("one", Number.POSITIVE_INFINITY);
  let isDrained = false;
  const drained = deliveries.drain(5_000).then(() => {
    isDrained = true;
  });
  await host.advance(4_000);
  expect(isDrained).toBe(false);
  deliveries.acknowledge(one, 10);
  await drained;
  open("two", Number.POSITIVE_INFINITY);
  const again = deliveries.drain(5_000);
  await host.advance(5_000);
  await again;
  expect(ends).toEqual(["one written", "two closed"]);
});
