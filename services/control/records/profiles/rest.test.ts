import { expect, test } from "@jest/globals";
import type { PartitionStore } from "#state";
import { topicMap } from "#topics";
import { ProfileReplica } from "./replica.ts";

const TOPIC = topicMap({ prefix: "", retryDelaysMs: [1_000] }).profiles;
const NEVER = new AbortController().signal;

/** Stores that know one id for each time they were opened. */
function setup() {
  const seen = { opened: 0, open: 0, needed: 0 };
  const replica = new ProfileReplica({
    directory: "nowhere",
    partitions: 2,
    topic: TOPIC,
    serde: {
      decode: () => Promise.reject(new Error("not asked for")),
      decodeFields: () => () => ({}),
    } as never,
    isSuppressed: () => false,
    open: async () => {
      seen.opened += 1;
      seen.open += 1;
      const id = `opened ${seen.opened}`;
      return {
        count: 1,
        keys: () => [id],
        refresh: async () => undefined,
        close: async () => {
          seen.open -= 1;
        },
      } as unknown as PartitionStore;
    },
    onNeeded: () => {
      seen.needed += 1;
    },
    store: {} as never,
  });
  return { replica, seen };
}

test("a copy that rests has no store open, and is not taken for one without profiles", async () => {
  const { replica, seen } = setup();
  await replica.follow();
  expect([...replica.ids(1)]).toEqual(["opened 2"]);
  await replica.rest();
  expect({ open: seen.open, isLoaded: replica.isLoaded }).toEqual({ open: 0, isLoaded: false });
  expect(() => replica.ids(1)).toThrow("not followed");
});

test("who needs it after a rest waits until every store is opened again", async () => {
  const { replica, seen } = setup();
  await replica.follow();
  await replica.rest();
  const waiting: string[] = [];
  const needed = replica.needed(NEVER).then(() => waiting.push("read"));
  await Promise.resolve();
  expect([waiting, seen.needed]).toEqual([[], 1]);
  await replica.follow();
  await needed;
  expect(waiting).toEqual(["read"]);
  expect([...replica.ids(0), ...replica.ids(1)]).toEqual(["opened 3", "opened 4"]);
});

test("each look at ids says that the copy is needed, so that a long walk does not end in its rest", async () => {
  const { replica, seen } = setup();
  await replica.follow();
  const before = seen.needed;
  replica.ids(0);
  replica.ids(0, "opened 1");
  expect(seen.needed - before).toBe(2);
});
