import { expect, test } from "@jest/globals";
import type { OutgoingRecord, TableListener } from "#kafka";
import type { Regulation } from "#topics";
import { topicMap } from "#topics";
import { regulation, START_MS } from "./fixtures/regulation.ts";
import { createRegulationStore } from "./store.ts";

const { regulations: topic } = topicMap({ prefix: "", retryDelaysMs: [1_000] });

/** Reports each change to its listeners, as a table does. */
class Regulations extends Map<string, Regulation> {
  readonly listeners = new Set<TableListener<Regulation>>();

  override set(id: string, one: Regulation): this {
    const before = this.get(id);
    super.set(id, one);
    for (const listener of this.listeners ?? []) listener(id, one, before);
    return this;
  }
}

function setup(...known: readonly Regulation[]) {
  const table = new Regulations(known.map((one) => [one.id, one]));
  const sent: OutgoingRecord[] = [];
  const world = { isLoaded: true, isLost: false, looks: 0, passes: (): void => undefined };
  const store = createRegulationStore({
    topic,
    table: {
      get: (id) => table.get(id),
      entries: () => table.entries(),
      onChange: (listener) => {
        table.listeners.add(listener);
        return () => table.listeners.delete(listener);
      },
      async load() {
        world.isLoaded = true;
      },
      async look() {
        if (world.isLost) throw new Error("they are lost");
      },
      get loaded() {
        return world.isLoaded;
      },
      async until(holds) {
        world.looks += 1;
        world.passes();
        await new Promise(setImmediate);
        if (!holds()) throw new Error("not in time");
      },
    },
    producer: { send: async (records) => void sent.push(...records) },
    newWriter: async () => ({ send: async (record) => void sent.push({ topic: topic.name, ...record }) }),
    serde: { encode: (_, value) => Buffer.from((value as Regulation).id) },
  });
  return { sent, store, table, world };
}

const suppression = (id: string, createdAtMs: number, changes: Partial<Regulation> = {}) =>
  regulation({ id, createdAtMs, isSuppressionDone: false, ...changes }, "SUPPRESS_ONLY");

test("a suppression waits for each older one that is not written, and for no younger one", async () => {
  const mine = suppression("b", START_MS);
  const { store, table, world } = setup(
    mine,
    suppression("old", START_MS - 1),
    suppression("a", START_MS),
    suppression("young", START_MS + 1),
    suppression("ended", START_MS - 2, { state: "finished" }),
    suppression("written", START_MS - 3, { isSuppressionDone: true }),
  );
  let hasEnded = false;
  const waiting = store.untilOlderAreWritten(mine, new AbortController().signal).then(() => {
    hasEnded = true;
  });
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  table.set("old", suppression("old", START_MS - 1, { isSuppressionDone: true }));
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
  expect([hasEnded, world.looks > 2]).toEqual([false, true]);
  table.set("a", suppression("a", START_MS, { isSuppressionDone: true }));
  await waiting;
});

test("who waits for an older one ends with the signal", async () => {
  const mine = suppression("b", START_MS);
  const { store } = setup(mine, suppression("a", START_MS));
  await expect(store.untilOlderAreWritten(mine, AbortSignal.abort())).rejects.toThrow();
});

test("the list is by age, and a written one is waited for until it can be read", async () => {
  const [one, other] = [regulation({ id: "b", createdAtMs: 2 }), regulation({ id: "c", createdAtMs: 1 })];
  const { sent, store, table, world } = setup(one, other);
  expect(store.list().map(({ id }) => id)).toEqual(["c", "b"]);
  const changed = { ...one, updatedAtMs: START_MS + 5 };
  world.passes = () => void table.set("b", changed);
  await store.put(changed);
  expect(store.get("b")).toBe(changed);
  await store.remove(["b"]);
  expect(sent.map(({ key, value }) => [key, value?.toString()])).toEqual([
    ["b", "b"],
    ["b", undefined],
  ]);
});

test("nothing is written to a topic that has lost its records, not even an end: it would look whole", async () => {
  const { sent, store, world } = setup();
  world.isLost = true;
  for (const write of [() => store.put(regulation()), () => store.remove(["b"])])
    await expect(write()).rejects.toThrow("they are lost");
  expect(sent).toEqual([]);
});
