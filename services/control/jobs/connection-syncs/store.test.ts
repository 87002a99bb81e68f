import { expect, test } from "@jest/globals";
import type { ConnectionSync } from "#topics";
import type { ConfigStore } from "../../records/config-store.ts";
import { StaleEdit } from "../../records/sole-writer.ts";
import { createSyncStore } from "./store.ts";
import { begun, changed } from "./sync.ts";

const FIRST = begun({ id: "d", version: 1 }, 5, undefined);

/** A topic that holds one record, and a writer that finds what another process has written once it has its partition. */
function setup(held?: ConnectionSync, foundByWriter = held) {
  const topic = { held, puts: [] as ConnectionSync[], underWay: 0, mostUnderWay: 0 };
  const store = {
    get: () => structuredClone(topic.held),
    refresh: async () => undefined,
    async put(sync: ConnectionSync) {
      topic.underWay += 1;
      topic.mostUnderWay = Math.max(topic.mostUnderWay, topic.underWay);
      await new Promise(setImmediate);
      topic.underWay -= 1;
      topic.puts.push(sync);
      topic.held = sync;
    },
  } as unknown as ConfigStore<ConnectionSync>;
  const writer = {
    async take() {
      if (topic.puts.length === 0) topic.held = foundByWriter;
      return { send: async () => undefined };
    },
  };
  return { store: createSyncStore(store, writer), topic };
}

test("a record follows the one that its writer has read, or the first nothing", async () => {
  const { store, topic } = setup();
  await store.replace({ before: undefined, after: FIRST });
  const after = changed(FIRST, { isDone: true }, 6);
  await store.replace({ before: FIRST, after });
  expect([topic.puts, store.get("d")]).toEqual([[FIRST, after], after]);
});

test.each([
  ["has gone on", FIRST, FIRST],
  ["has begun", undefined, undefined],
])("nothing is written where another process %s meanwhile", async (_, held, before) => {
  const { store, topic } = setup(held, changed(FIRST, { partition: 1 }, 5));
  const replaced = store.replace({ before, after: changed(FIRST, { isDone: true }, 9) });
  await expect(replaced).rejects.toThrow(StaleEdit);
  expect(topic.puts).toEqual([]);
});

test("records are written one at a time, also behind one that is refused", async () => {
  const { store, topic } = setup(FIRST);
  const then = changed(FIRST, { partition: 1 }, 6);
  const [, refused] = await Promise.allSettled([
    store.replace({ before: FIRST, after: then }),
    store.replace({ before: FIRST, after: then }),
    store.replace({ before: then, after: changed(then, { isDone: true }, 7) }),
  ]);
  expect([refused.status, topic.puts.length, topic.mostUnderWay]).toEqual(["rejected", 2, 1]);
});
