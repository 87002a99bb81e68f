// The offline queue: what is accepted is kept outside of the client until it is delivered.
import { expect, test } from "@jest/globals";
import { type MessageStore, webStorage } from "./store.ts";
import { HeldStore, memoryStorage } from "./testing/stores.ts";
import { hang, status, unreachable, World } from "./testing/world.ts";

const message = (i: number) => ({ userId: "u", event: `E${i}`, messageId: `m${i}` });

test("a message is kept before its call returns, and forgotten when it is delivered", async () => {
  const world = new World();
  const storage = memoryStorage();
  const client = world.client({ store: webStorage(storage) });
  client.track(message(1));
  expect([...storage.entries.keys()]).toEqual([expect.stringMatching(/^hookline:[0-9a-f]{8}:\["m1","u"\]$/)]);
  await world.until(client.flush());
  expect(storage.entries.size).toBe(0);
});

test("what a client could not deliver, the next one sends, in its order and under its ids", async () => {
  const storage = memoryStorage();
  const offline = new World();
  offline.answers.push(...Array.from({ length: 999 }, () => unreachable));
  const first = offline.client({ store: webStorage(storage) });
  for (let i = 0; i < 12; i++) first.track(message(i));
  expect(await offline.until(first.close())).toEqual({ ok: false, unsent: 12 });
  expect(offline.failures).toEqual([]);

  const world = new World();
  const next = world.client({ store: webStorage(storage) });
  next.track(message(12));
  expect(await world.until(next.close())).toEqual({ ok: true });
  const ids = world.requests.flatMap(({ batch }) => batch.map(({ messageId }) => messageId));
  expect(ids).toEqual(Array.from({ length: 13 }, (_, i) => `m${i}`));
  expect(storage.entries.size).toBe(0);
});

test("a page that ends without a close loses nothing", async () => {
  const storage = memoryStorage();
  new World().client({ store: webStorage(storage) }).track(message(1));
  const world = new World();
  await world.until(world.client({ store: webStorage(storage) }).flush());
  expect(world.requests[0]?.batch).toMatchObject([{ messageId: "m1" }]);
});

test("calls of several users under one id are kept and forgotten each by itself", async () => {
  const storage = memoryStorage();
  const page = new World();
  page.answers.push(status(200), hang);
  const first = page.client({ store: webStorage(storage), flushAt: 1 });
  for (const someone of [{ userId: "u" }, { userId: "v" }, { anonymousId: "u" }])
    first.track({ ...someone, event: "E", messageId: "m" });
  await page.settle();
  expect(page.sizes).toEqual([1, 1]);
  const world = new World();
  await world.until(world.client({ store: webStorage(storage) }).close());
  expect(world.requests[0]?.batch).toMatchObject([{ userId: "v" }, { anonymousId: "u" }]);
  expect(storage.entries.size).toBe(0);
});

test("clients of two sources share a storage, and each sends its own, under the same ids and to wherever its endpoint is by now", async () => {
  const storage = memoryStorage();
  for (const key of ["of-shop", "of-partner"])
    new World().client({ store: webStorage(storage) }, key).track({ ...message(1), event: key });
  const sent: unknown[] = [];
  for (const key of ["of-partner", "of-shop"]) {
    const world = new World();
    const client = world.client({ store: webStorage(storage), endpoint: "https://moved.example.com" }, key);
    expect(await world.until(client.close())).toEqual({ ok: true });
    sent.push(world.requests.map(({ batch }) => batch.map(({ event }) => event)));
  }
  expect([sent, storage.entries.size]).toEqual([[[["of-partner"]], [["of-shop"]]], 0]);
});

test.each([
  ["texts had a source", "m1", ""],
  ["keys had a user", "7331e71a:m1", "7331e71a "],
])("what was kept before %s is sent once, by the client that finds it", async (_, key, before) => {
  const storage = memoryStorage();
  storage.setItem(`hookline:${key}`, `0 ${before}${JSON.stringify({ type: "track", ...message(1) })}`);
  const world = new World({ isPage: true });
  await world.until(world.client({ store: webStorage(storage) }).close());
  expect(world.requests.map(({ batch }) => batch)).toMatchObject([[{ messageId: "m1" }]]);
  expect(storage.entries.size).toBe(0);
});

test("what is refused for good is handed back and forgotten", async () => {
  const world = new World();
  const storage = memoryStorage();
  world.answers.push(status(200, {}, { rejected: [{ index: 0, code: "c", message: "m" }] }), status(400));
  const client = world.client({ store: webStorage(storage), flushAt: 2 });
  for (let i = 0; i < 4; i++) client.track(message(i));
  await world.until(client.close());
  expect(world.failures.map(({ messageId }) => messageId)).toEqual(["m0", "m2", "m3"]);
  expect(storage.entries.size).toBe(0);
});

test("offline lasts 24 hours with a store before a message is handed back", async () => {
  const world = new World();
  world.answers.push(...Array.from({ length: 99_999 }, () => status(503, { "retry-after": "300" })));
  const client = world.client({ store: webStorage(memoryStorage()) });
  client.track(message(1));
  await world.pass(23 * 3_600_000);
  expect(world.failures).toEqual([]);
  await world.pass(3_600_000);
  expect(world.failures).toHaveLength(1);
  await world.until(client.close());
});

test("calls of a slow store follow one another, and close waits for the last one", async () => {
  const world = new World();
  const store = new HeldStore();
  const client = world.client({ store, flushAt: 1 });
  expect(store.calls).toEqual(["all"]);
  store.release();
  await world.settle();
  client.track(message(1));
  await world.settle();
  // Delivered already, but neither put nor removed.
  expect(world.sizes).toEqual([1]);
  expect(store.calls).toEqual(["all", "put m1"]);
  let isClosed = false;
  const closed = client.close().then((closing) => {
    isClosed = true;
    return closing;
  });
  store.release();
  await world.settle();
  expect([store.calls, isClosed]).toEqual([["all", "put m1", "remove m1"], false]);
  store.release();
  expect(await closed).toEqual({ ok: true });
  expect(store.kept.size).toBe(0);
});

test("what a slow store gives after the close stays in it", async () => {
  const world = new World();
  const store = new HeldStore();
  store.kept.set("m1", JSON.stringify({ type: "track", ...message(1) }));
  const client = world.client({ store });
  const closed = client.close({ timeoutMs: 100 });
  expect(await world.until(closed)).toEqual({ ok: true });
  store.release();
  await world.settle();
  expect([world.requests, store.kept.size]).toEqual([[], 1]);
});

test("a store that fails costs nothing but its lines", async () => {
  const world = new World();
  const store: MessageStore = {
    put() {
      throw new Error("quota");
    },
    remove: () => Promise.reject(new Error("gone")),
    all: () => ["{", "[]", `{"messageId":"m0","pad":"${"x".repeat(32_768)}"}`],
  };
  const client = world.client({ store });
  expect(client.track(message(1)).ok).toBe(true);
  expect(await world.until(client.close())).toEqual({ ok: true });
  expect(world.sizes).toEqual([1]);
  expect(world.lines.filter((line) => line.includes("no message"))).toHaveLength(3);
  expect(world.lines.filter((line) => line.includes("the store failed"))).toHaveLength(2);
});

test("other things in a page's storage are left alone", async () => {
  const world = new World();
  const storage = memoryStorage();
  storage.setItem("theme", "dark");
  storage.setItem("other:m1", "1 {}");
  const client = world.client({ store: webStorage(storage, "mine") });
  client.track(message(1));
  await world.until(client.close());
  expect([...storage.entries.keys()]).toEqual(["theme", "other:m1"]);
});

test("what is kept anew in a page's storage keeps its place", async () => {
  const store = webStorage(memoryStorage());
  await store.put("a", "first");
  await store.put("b", "second");
  await store.put("a", "anew");
  expect(store.all()).toEqual(["anew", "second"]);
});
