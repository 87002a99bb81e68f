import { afterEach, describe, expect, test } from "@jest/globals";
import { suppressionKey, userHash } from "#topics";
import { type IngestFixture, post, startFixture } from "./fixtures/http.ts";
import { createSuppressions } from "./suppressions.ts";

const call = (userId: string | null, previousId: string | null = null) => ({ userId, previousId });

function suppressing(...entries: readonly (readonly [sourceId: string | null, userId: string])[]) {
  const table = new Map(entries.map(([scope, user]) => [suppressionKey(scope, userHash(user)), true]));
  return { table, suppressions: createSuppressions(table) };
}

describe("calls of suppressed users (contract 5.2)", () => {
  test("are those of the whole workspace, and those of one source there only", () => {
    const { suppressions } = suppressing([null, "everywhere"], ["s1", "here"]);
    const calls = [call("everywhere"), call("here"), call("somebody")];
    const kept = (sourceId: string) => suppressions.keep(sourceId, calls).map(({ userId }) => userId);
    expect(kept("s1")).toEqual(["somebody"]);
    expect(kept("s2")).toEqual(["here", "somebody"]);
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
    const { suppressions, table } = suppressing([null, "u"]);
    expect(suppressions.keep("s1", [call("u")])).toEqual([]);
    table.delete(suppressionKey(null, userHash("u")));
    expect(suppressions.keep("s1", [call("u")])).toHaveLength(1);
  });

  test("a request without any goes on with the list that it has, whether somebody is suppressed or nobody", () => {
    const calls = [call("a"), call("b")];
    expect(suppressing().suppressions.keep("s1", calls)).toBe(calls);
    expect(suppressing([null, "u"]).suppressions.keep("s1", calls)).toBe(calls);
  });
});

describe("a request with calls of suppressed users", () => {
  let running: IngestFixture | undefined;
  afterEach(() => running?.close());

  async function start(store?: () => Promise<"unavailable">) {
    const { suppressions } = suppressing([null, "gone"]);
    running = await startFixture({ parts: { suppressions }, ...(store !== undefined && { store }) });
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
