import { afterEach, describe, expect, test } from "@jest/globals";
import { suppressionKey, userHash } from "#topics";
import { type IngestFixture, post, startFixture } from "../fixtures/http.ts";
import { createSuppressions } from "./suppressions.ts";

const noPause = () => Promise.reject(new Error("it needs no second turn"));

const call = (userId: string | null, previousId: string | null = null) => ({ userId, previousId });

/** A table like Kafka's: its listeners get the value before a change. */
function suppressing(...entries: readonly (readonly [sourceId: string | null, userId: string])[]) {
  const keyOf = (scope: string | null, user: string) => suppressionKey(scope, userHash(user));
  const table = new Map(entries.map(([scope, user]) => [keyOf(scope, user), true]));
  const listeners: ((key: string, value: unknown, before: unknown) => void)[] = [];
  const { hasAny, isSuppressed, keep } = createSuppressions({
    get: (key) => table.get(key),
    entries: () => table.entries(),
    onChange: (listener) => {
      listeners.push(listener);
      return () => undefined;
    },
  });
  function change(scope: string | null, user: string, isThere: boolean): void {
    const key = keyOf(scope, user);
    const before = table.get(key);
    if (isThere) table.set(key, true);
    else table.delete(key);
    for (const tell of listeners) tell(key, table.get(key), before);
  }
  /** Keeps few calls, in one turn. */
  const suppressions = {
    keep: <C extends ReturnType<typeof call>>(sourceId: string, calls: readonly C[]) =>
      keep(sourceId, calls, noPause) as readonly C[],
  };
  return { change, hasAny, isSuppressed, keep, suppressions };
}

describe("calls of suppressed users (contract 5.2)", () => {
  test("are those of the whole workspace, and those of one source there only", () => {
    const { hasAny, isSuppressed, suppressions } = suppressing([null, "everywhere"], ["s1", "here"]);
    const calls = [call("everywhere"), call("here"), call("somebody")];
    const kept = (sourceId: string) => suppressions.keep(sourceId, calls).map(({ userId }) => userId);
    expect(kept("s1")).toEqual(["somebody"]);
    expect(kept("s2")).toEqual(["here", "somebody"]);
    expect([isSuppressed("s1", "here"), isSuppressed("s2", "here"), hasAny("s2")]).toEqual([
      true,
      false,
      true,
    ]);
    expect(["s1", "s2"].map(suppressing(["s1", "here"]).hasAny)).toEqual([true, false]);
  });

  test("are also an alias from a suppressed id to another one, and back", () => {
    const { suppressions } = suppressing([null, "gone"]);
    const calls = [call("new", "gone"), call("gone", "new"), call("new", "old")];
    expect(suppressions.keep("s1", calls)).toEqual([call("new", "old")]);
  });

  test("are not those with an anonymousId alone", () => {
    const { suppressions } = suppressing([null, "u"]);
    expect(suppressions.keep("s1", [call(null)])).toHaveLength(1);
  });

  test("are known as the table has them now; who is not suppressed any more is kept", () => {
    const { change, suppressions } = suppressing([null, "u"], ["s2", "v"]);
    const kept = (sourceId: string) =>
      suppressions.keep(sourceId, [call("u"), call("v"), call("w")]).map(({ userId }) => userId);
    expect([kept("s1"), kept("s2")]).toEqual([["v", "w"], ["w"]]);
    change(null, "w", true);
    // A record may be written twice, and an end may come without a begin.
    change(null, "w", true);
    change("s1", "u", false);
    expect([kept("s1"), kept("s2")]).toEqual([["v"], []]);
    change(null, "u", false);
    change(null, "w", false);
    expect([kept("s1"), kept("s2")]).toEqual([
      ["u", "v", "w"],
      ["u", "w"],
    ]);
    change("s2", "v", false);
    change("s1", "v", true);
    expect([kept("s1"), kept("s2")]).toEqual([
      ["u", "w"],
      ["u", "v", "w"],
    ]);
  });

  test("a request without any goes on with the list that it has, whether somebody is suppressed or nobody", () => {
    const calls = [call("a"), call("b")];
    expect(suppressing().suppressions.keep("s1", calls)).toBe(calls);
    expect(suppressing([null, "u"]).suppressions.keep("s1", calls)).toBe(calls);
  });
});

test("a large batch is looked through in turns of the event loop", async () => {
  const { keep } = suppressing([null, "gone"]);
  let pauses = 0;
  const pause = async () => {
    pauses += 1;
  };
  const calls = Array.from({ length: 1_001 }, (_, index) => call(index % 10 === 0 ? "gone" : `u${index}`));
  const kept = await keep("s1", calls, pause);
  expect(kept).toEqual(calls.filter(({ userId }) => userId !== "gone"));
  expect(pauses).toBe(5);
  expect(await keep("s1", calls.slice(0, 250), noPause)).toHaveLength(225);
});

describe("a request with calls of suppressed users", () => {
  let running: IngestFixture | undefined;
  afterEach(() => running?.close());

  async function start(store?: () => Promise<"unavailable">) {
    const { hasAny, isSuppressed, keep } = suppressing([null, "gone"]);
    running = await startFixture({
      parts: { suppressions: { hasAny, isSuppressed, keep } },
      ...(store !== undefined && { store }),
    });
    const ingest = running;
    const counted = async () => {
      const metrics = await ingest.metrics.expose();
      return metrics.match(/ingest_calls_dropped_total\{reason="suppressed"\} (\d+)/)?.[1];
    };
    return { counted, ingest };
  }

  const track = (userId: string, more: object = {}) => ({ type: "track", event: "E", userId, ...more });

  test("is answered 200 and stores the others; those dropped are counted, and not as accepted", async () => {
    const { counted, ingest } = await start();
    const batch = [track("a"), track("gone"), { type: "track", userId: "b" }, track("gone"), track("c")];
    const { status, body } = await post(ingest, "/v1/batch", { body: { batch } });
    expect([status, body]).toMatchObject([
      200,
      { success: true, rejected: [{ index: 2, code: "event_not_defined" }] },
    ]);
    expect(ingest.stored.map(({ userId }) => userId)).toEqual(["a", "c"]);
    expect(await counted()).toBe("2");
    expect(await ingest.metrics.expose()).toContain('ingest_calls_accepted_total{type="track"} 2');
  });

  test("of nobody else stores nothing, so it does not ask Kafka", async () => {
    const { counted, ingest } = await start(async () => "unavailable");
    expect(await counted()).toBe("0");
    const { status, body } = await post(ingest, "/v1/track", { body: track("gone") });
    expect([status, body]).toEqual([200, { success: true }]);
    const alias = { userId: "new", previousId: "gone" };
    expect((await post(ingest, "/v1/alias", { body: alias })).status).toBe(200);
    expect((await post(ingest, "/v1/track", { body: track("a") })).status).toBe(503);
    expect(await counted()).toBe("2");
  });
});
