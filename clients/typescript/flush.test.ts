// When what is queued goes out (contract 9.1, 9.2).
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gunzipSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import type { Client } from "./client.ts";
import { hang, status, World } from "./testing/world.ts";

function track(client: Client, count: number, pad = ""): void {
  for (let i = 0; i < count; i++)
    expect(client.track({ userId: "u", event: `E${i}`, properties: { pad } }).ok).toBe(true);
}

test("20 messages, or 5 seconds since the last flush, trigger a flush", async () => {
  const world = new World();
  const client = world.client();
  track(client, 19);
  await world.pass(4_999);
  expect(world.sizes).toEqual([]);
  await world.pass(1);
  expect(world.sizes).toEqual([19]);
  track(client, 45);
  await world.settle();
  expect(world.sizes).toEqual([19, 20, 20]);
  await world.pass(5_000);
  expect(world.sizes).toEqual([19, 20, 20, 5]);
});

test("time without messages counts as flushed", async () => {
  const world = new World();
  const client = world.client();
  await world.pass(12_000);
  track(client, 1);
  await world.pass(2_999);
  expect(world.sizes).toEqual([]);
  await world.pass(1);
  expect(world.requests.map(({ atMs }) => atMs)).toEqual([15_000]);
});

test.each([
  [{ size: 3 }, 3],
  [{ flushAt: 4 }, 4],
  [{ size: 5, flushAt: 2 }, 2],
  [{ size: 2, flushAt: 5 }, 2],
  [{ flushAt: 1 }, 1],
  [{ flushAt: 9_999 }, 2_500],
])("of %j the smaller one is the threshold", async (options, threshold) => {
  const world = new World();
  const client = world.client(options);
  track(client, threshold - 1);
  await world.settle();
  expect(world.sizes).toEqual([]);
  track(client, 1);
  await world.settle();
  expect(world.sizes).toEqual([threshold]);
});

test("one request is under way at a time, in the order of calls, or as many as asked for", async () => {
  for (const concurrency of [1, 3]) {
    const world = new World();
    world.answers.push(hang, hang, hang, hang);
    const client = world.client({ flushAt: 1, concurrency });
    track(client, 5);
    await world.settle();
    expect(world.sizes).toHaveLength(concurrency);
    await world.until(client.close({ timeoutMs: 3_600_000 }));
    const events = world.requests.map(({ batch }) => batch[0]?.["event"]);
    expect([...new Set(events)]).toEqual(["E0", "E1", "E2", "E3", "E4"]);
  }
});

test("flush sends what is queued and waits for what was accepted before", async () => {
  const world = new World();
  const client = world.client({ flushAt: 10 });
  expect(await world.until(client.flush())).toBe(true);
  world.answers.push(status(503), status(200));
  track(client, 12);
  expect(await world.until(client.flush())).toBe(true);
  expect(world.sizes).toEqual([10, 10, 2]);
});

test("flush says when its time was over", async () => {
  const world = new World();
  world.answers.push(hang);
  const client = world.client();
  track(client, 1);
  expect(await world.until(client.flush({ timeoutMs: 100 }))).toBe(false);
  expect(await world.until(client.close())).toEqual({ ok: true });
  expect(world.openTimers).toBe(0);
});

test("a full queue refuses at once, and room resolves when there is some", async () => {
  const world = new World();
  world.answers.push(hang);
  const client = world.client({ flushAt: 20, queueBytes: 512_000 });
  const pad = "x".repeat(32_000);
  let accepted = 0;
  while (client.track({ userId: "u", event: "E", properties: { pad } }).ok) accepted++;
  expect(accepted).toBe(15);
  expect(client.track({ userId: "u", event: "E", properties: { pad } })).toMatchObject({
    reason: "queue_full",
  });
  await world.until(client.room());
  expect(client.track({ userId: "u", event: "E", properties: { pad } }).ok).toBe(true);
  await world.until(client.close());
  expect(world.sizes.at(-1)).toBe(1);
});

test("the bodies of small batches that wait take no more than the room that they are given", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const bodyBytes = (): number => {
    // Buffers are freed in the background, which the next collection waits for.
    collectGarbage();
    collectGarbage();
    return process.memoryUsage().arrayBuffers;
  };
  const world = new World();
  world.answers.push(hang);
  const client = world.client({ flushAt: 1, queueBytes: 4_000_000, closeTimeoutMs: 1 });
  const before = bodyBytes();
  while (client.track({ userId: "u", event: "E" }).ok);
  expect(bodyBytes() - before).toBeLessThan(4_000_000);
  await world.until(client.close());
});

test("room resolves when the client is closed", async () => {
  const world = new World();
  world.answers.push(hang);
  const client = world.client({ queueBytes: 512_000 });
  track(client, 15, "x".repeat(32_000));
  const room = client.room();
  const closed = client.close();
  await room;
  expect(client.track({ userId: "u", event: "E" })).toMatchObject({ reason: "closed" });
  await world.until(closed);
});

test("gzip compresses requests", async () => {
  const world = new World();
  const bodies: Uint8Array[] = [];
  world.answers.push((request) => {
    bodies.push(request.body);
    return status(200)(request);
  });
  const client = world.client({ gzip: true });
  track(client, 2);
  expect(await client.flush()).toBe(true);
  expect(world.requests[0]?.headers["content-encoding"]).toBe("gzip");
  const [body = new Uint8Array()] = bodies;
  expect(JSON.parse(gunzipSync(body).toString()).batch).toHaveLength(2);
  await client.close();
});
