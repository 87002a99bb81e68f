// What becomes of messages that the store does not take, or takes late.
import { runInNewContext } from "node:vm";
import { expect, test } from "@jest/globals";
import { type MessageStore, webStorage } from "./store.ts";
import { HeldStore, memoryStorage } from "./testing/stores.ts";
import { hang, status, unreachable, World } from "./testing/world.ts";

const message = (i: number) => ({ userId: "u", event: `E${i}`, messageId: `m${i}` });

const idsOf = (calls: readonly { readonly messageId: string }[]) => calls.map(({ messageId }) => messageId);

function offlineWorld(): World {
  const world = new World();
  world.answers.push(...Array.from({ length: 999 }, () => unreachable));
  return world;
}

test("what a full storage did not take is handed back at close", async () => {
  const world = offlineWorld();
  const storage = memoryStorage();
  const { setItem } = storage;
  storage.setItem = (key, value) => {
    if (storage.entries.size === 2) throw new Error("quota");
    setItem(key, value);
  };
  const client = world.client({ store: webStorage(storage), debug: true });
  for (let i = 0; i < 5; i++) client.track(message(i));
  expect(await world.until(client.close())).toEqual({ ok: false, unsent: 5 });
  expect(idsOf(world.failures)).toEqual(["m2", "m3", "m4"]);
  expect(storage.entries.size).toBe(2);
  const said = world.lines.flatMap((line) => /\d messages (?:lost|left in the store)/.exec(line) ?? []);
  expect(said).toEqual(["3 messages lost", "2 messages left in the store"]);
});

test("what a slow store had not taken by the end of close is handed back", async () => {
  const world = offlineWorld();
  const store = new HeldStore();
  const client = world.client({ store });
  for (let i = 0; i < 3; i++) client.track(message(i));
  for (let calls = 0; calls < 2; calls++) {
    store.release();
    await world.settle();
  }
  expect(await world.until(client.close())).toEqual({ ok: false, unsent: 3 });
  expect([idsOf(world.failures), store.kept.size]).toEqual([["m1", "m2"], 1]);
});

test("what onError sends again is kept again", async () => {
  const world = new World();
  world.answers.push(status(400), hang);
  const storage = memoryStorage();
  const client = world.client({
    store: webStorage(storage),
    flushAt: 2,
    onError: ({ type, json }) => client[type](JSON.parse(json)),
  });
  for (let i = 0; i < 2; i++) client.track(message(i));
  await world.settle();
  expect([world.sizes, storage.entries.size]).toEqual([[2, 2], 2]);
});

test("a store may give promises of another class, like a library's own", async () => {
  const { resolve }: PromiseConstructor = runInNewContext("({ resolve: (value) => Promise.resolve(value) })");
  const storage = memoryStorage();
  new World().client({ store: webStorage(storage) }).track(message(1));
  const { put, remove, all } = webStorage(storage);
  const world = new World();
  const store: MessageStore = {
    put: (key, text) => resolve(put(key, text)),
    remove: (keys) => resolve(remove(keys)),
    all: () => resolve(all()),
  };
  await world.until(world.client({ store }).flush());
  expect([world.sizes, world.lines, storage.entries.size]).toEqual([[1], [], 0]);
});

test("a flush waits for what was accepted before, however slow the store is", async () => {
  const world = new World();
  const store = new HeldStore();
  const client = world.client({ store });
  client.track(message(0));
  let isFlushed = false;
  void client.flush().then(() => {
    isFlushed = true;
  });
  for (let i = 1; i < 9; i++) {
    client.track(message(i));
    store.release();
    await world.settle();
  }
  expect([world.requests[0]?.batch[0], isFlushed]).toEqual([expect.objectContaining(message(0)), true]);
});

test("what is delivered while a slow store has not taken it needs no room and is not put", async () => {
  const world = new World();
  const store = new HeldStore();
  const client = world.client({ store, flushAt: 10 });
  store.release();
  await world.settle();
  for (let i = 0; i < 50; i++) client.track(message(i));
  await world.settle();
  expect(world.sizes).toEqual([10, 10, 10, 10, 10]);
  const closed = client.close();
  for (let calls = 0; calls < 2; calls++) {
    store.release();
    await world.settle();
  }
  expect(store.calls).toEqual(["all", "put m0", "remove m0"]);
  expect(await closed).toEqual({ ok: true });
});

test("what is left in a slow store goes first, whatever was called before it answered", async () => {
  const world = new World();
  const store = new HeldStore();
  for (let i = 0; i < 3; i++) store.kept.set(`m${i}`, JSON.stringify({ type: "track", ...message(i) }));
  const client = world.client({ store, flushAt: 2 });
  for (let i = 3; i < 8; i++) client.track(message(i));
  await world.pass(9_000);
  store.release();
  await world.settle();
  await world.pass(5_000);
  expect(world.requests.flatMap(({ batch }) => batch.map(({ event }) => event))).toEqual(
    Array.from({ length: 8 }, (_, i) => `E${i}`),
  );
});

test("a store that does not answer holds messages up as long as a request may take", async () => {
  const world = new World();
  const client = world.client({ store: new HeldStore(), flushAt: 1 });
  client.track(message(1));
  await world.pass(9_999);
  expect(world.sizes).toEqual([]);
  await world.pass(1);
  expect(world.sizes).toEqual([1]);
  const hasty = world.client({ store: new HeldStore() });
  hasty.track(message(2));
  expect(await world.until(hasty.close({ timeoutMs: 100 }))).toEqual({ ok: false, unsent: 1 });
  expect([idsOf(world.failures), world.openTimers]).toEqual([["m2"], 0]);
});
