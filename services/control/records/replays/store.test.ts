import { describe, expect, test } from "@jest/globals";
import type { OutgoingRecord, Table } from "#kafka";
import { type Replay, topicMap } from "#topics";
import { replay } from "./fixtures/replay.ts";
import { createReplayStore } from "./store.ts";

const { replays: topic } = topicMap({ prefix: "p-", retryDelaysMs: [1] });

/** A table that the test writes, and a producer whose records it looks at. */
function setup(begun: readonly Replay[] = []) {
  const entries = new Map(begun.map((one) => [one.id, one]));
  const listeners: Parameters<Table<Replay>["onChange"]>[0][] = [];
  const sent: OutgoingRecord[] = [];
  const waits: { holds: () => boolean; timeoutMs: number }[] = [];
  const world = { loaded: false };
  const store = createReplayStore({
    topic,
    table: {
      get: (id) => entries.get(id),
      entries: () => entries.entries(),
      get loaded() {
        return world.loaded;
      },
      load: async () => undefined,
      async until(holds, timeoutMs) {
        waits.push({ holds, timeoutMs });
      },
      onChange(listener) {
        listeners.push(listener);
        return () => undefined;
      },
    },
    producer: {
      async send(records) {
        sent.push(...records);
      },
    },
    serde: { encode: (_, value) => Buffer.from((value as Replay).id) },
  });
  function comes(id: string, value: Replay | undefined): void {
    const before = entries.get(id);
    if (value === undefined) entries.delete(id);
    else entries.set(id, value);
    for (const listener of listeners) listener(id, value, before);
  }
  return { comes, sent, store, waits, world };
}

describe("replays as their topic holds them", () => {
  test("are found by id, and listed oldest first; of one time by their ids", () => {
    const [b, c] = ["b", "c"].map((id) => replay({ id, createdAtMs: 5 }));
    const [a, z] = [replay({ id: "a", createdAtMs: 9 }), replay({ id: "z", createdAtMs: 1 })];
    const { store, world } = setup([c, a, b, z].flatMap((one) => one ?? []));
    expect(store.list().map(({ id }) => id)).toEqual(["z", "b", "c", "a"]);
    expect(store.get("a")).toBe(a);
    expect([store.isLoaded, store.get("none")]).toEqual([false, undefined]);
    world.loaded = true;
    expect(store.isLoaded).toBe(true);
  });

  test("that were cancelled once stay so, whatever is written behind it, until they are removed", () => {
    const { comes, store } = setup([replay({ id: "old", state: "cancelled" }), replay({ id: "runs" })]);
    expect(["old", "runs", "none"].map((id) => store.isCancelled(id))).toEqual([true, false, false]);
    comes("runs", replay({ id: "runs", state: "cancelled" }));
    comes("runs", replay({ id: "runs", replayed: 5 }));
    comes("old", undefined);
    expect(["old", "runs"].map((id) => store.isCancelled(id))).toEqual([false, true]);
  });

  test("go neither back nor on again by what a process that was cut off writes behind its successor", () => {
    const { comes, store } = setup();
    const at = (cursor: string | null, state: string, updatedAtMs: number) =>
      replay({ id: "a", cursor, state, updatedAtMs });
    const steps = [
      [at(null, "running", 1), 1],
      [at("0:5", "running", 2), 2],
      [at("0:3", "running", 3), 2],
      [at("1:0", "running", 4), 4],
      [at("0:9", "finished", 5), 5],
      [at("0:4", "running", 6), 5],
      [at("1:1", "running", 7), 5],
    ] as const;
    for (const [comesNow, isMs] of steps) {
      comes("a", comesNow);
      expect([store.get("a")?.updatedAtMs, store.isAsWritten("a")]).toEqual([
        isMs,
        comesNow.updatedAtMs === isMs,
      ]);
    }
    expect(store.list()).toEqual([store.get("a")]);
    comes("a", undefined);
    expect([store.get("a"), store.isAsWritten("a")]).toEqual([undefined, true]);
  });

  test("are written under their ids, and removed by tombstones", async () => {
    const { sent, store } = setup();
    await store.put(replay({ id: "a" }));
    await store.remove(["a", "b"]);
    expect(sent).toEqual([
      { topic: "p-replays", key: "a", value: Buffer.from("a") },
      { topic: "p-replays", key: "a", value: null },
      { topic: "p-replays", key: "b", value: null },
    ]);
  });

  test("are written visibly when that version or a later one can be read, within 10 s", async () => {
    const { comes, sent, store, waits } = setup();
    await store.putVisibly(replay({ id: "a", updatedAtMs: 50 }));
    expect([sent.length, waits[0]?.timeoutMs]).toEqual([1, 10_000]);
    const holds = () => waits[0]?.holds();
    expect(holds()).toBe(false);
    comes("a", replay({ id: "a", updatedAtMs: 49 }));
    expect(holds()).toBe(false);
    comes("a", replay({ id: "a", updatedAtMs: 50 }));
    expect(holds()).toBe(true);
    comes("a", replay({ id: "a", updatedAtMs: 51 }));
    expect(holds()).toBe(true);
  });
});
