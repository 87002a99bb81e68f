// One source that sends as much as it can, small on the wire and large in memory, while another sends what sources send.
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "@jest/globals";
import type { AcceptedCall } from "#contract";
import { until } from "#support/until";
import { basic, type IngestFixture, OTHER_KEY, post, startFixture, WRITE_KEY } from "../fixtures/http.ts";

const ROOM_BYTES = 64_000_000;

let ingest: IngestFixture;
afterEach(() => ingest.close());

/** 500 bytes on the wire, 110 KB inflated, 16 MB of records. */
const AMPLIFIED = gzipSync(
  JSON.stringify({
    context: { library: { name: "x" }, text: "x".repeat(6_200) },
    batch: Array.from({ length: 2_500 }, () => ({ type: "track", event: "E", userId: "u" })),
  }),
);

const amplify = () =>
  post(ingest, "/v1/batch", {
    body: AMPLIFIED,
    headers: { ...basic(WRITE_KEY), "content-encoding": "gzip" },
  });

const normal = () =>
  post(ingest, "/v1/track", { body: { event: "E", userId: "u" }, headers: basic(OTHER_KEY) });

async function statusesOf(count: number, each: () => Promise<{ status: number }>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index += 1) statuses.push((await each()).status);
  return statuses;
}

const share200 = (statuses: number[]) => statuses.filter((status) => status === 200).length / statuses.length;

test("while Kafka keeps one source's calls waiting it holds half of the room at most, and the other gets its 200s", async () => {
  const acknowledged = Promise.withResolvers<"stored">();
  let heldBytes = 0;
  const store = async (sourceId: string, calls: readonly AcceptedCall[]) => {
    if (sourceId !== "src_1") return "stored" as const;
    for (const { body } of calls) heldBytes += body.length;
    return acknowledged.promise;
  };
  ingest = await startFixture({ store, limits: { maxWaitingBytes: ROOM_BYTES } });
  const replies: { status: number; headers: Headers }[] = [];
  const sent = Array.from({ length: 8 }, async () => replies.push(await amplify()));
  await until(() => replies.length === 7, { timeoutMs: 20_000, what: "all but one to be refused" });
  expect(share200(await statusesOf(100, normal))).toBeGreaterThanOrEqual(0.99);
  expect(heldBytes).toBeLessThanOrEqual(ROOM_BYTES / 2);
  expect(ingest.gate.waitingBytes).toBeGreaterThan(heldBytes);
  for (const { status, headers } of replies) {
    expect(status).toBe(429);
    expect(headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
  }
  acknowledged.resolve("stored");
  await Promise.all(sent);
  expect(replies.at(-1)?.status).toBe(200);
  expect(ingest.gate.waitingBytes).toBe(0);
  expect((await amplify()).status).toBe(200);
});

test("over its rate a source is refused unread, by its header's key, and the other gets its 200s", async () => {
  let nowMs = 1_700_000_000_000;
  ingest = await startFixture({ callsPerSecond: 5_000, parts: { nowMs: () => nowMs } });
  // 2,500 calls of 6.4 KB count as 5,000: two such requests are what may come at once.
  expect(await statusesOf(4, amplify)).toEqual([200, 200, 429, 429]);
  const unread = await post(ingest, "/v1/batch", { body: "no JSON at all", headers: basic(WRITE_KEY) });
  expect(unread).toMatchObject({ status: 429, body: { success: false, code: "rate_limited" } });
  expect(unread.headers.get("retry-after")).toBe("1");
  expect(unread.headers.get("x-ratelimit-reset")).toBe("1700000001");
  expect(share200(await statusesOf(100, normal))).toBeGreaterThanOrEqual(0.99);
  nowMs += 1_000;
  expect(await statusesOf(2, amplify)).toEqual([200, 429]);
});

test("a large batch is judged in turns: other requests are answered in between", async () => {
  const turns: (() => void)[] = [];
  let isHeld = true;
  let count = 0;
  const pause = () => {
    count += 1;
    return new Promise<void>((resolve) => void (isHeld ? turns.push(resolve) : setImmediate(resolve)));
  };
  ingest = await startFixture({ parts: { pause } });
  const reply = amplify();
  for (let taken = 0; taken < 15; taken += 1) {
    await until(() => turns.length > taken, { timeoutMs: 20_000, what: `turn ${taken}` });
    expect((await normal()).status).toBe(200);
    isHeld = taken < 14;
    turns[taken]?.();
  }
  expect((await reply).status).toBe(200);
  // 16 MB, at most 32 KB a turn.
  expect(count).toBeGreaterThanOrEqual(490);
  expect(ingest.stored.filter(({ body }) => body.length > 6_000)).toHaveLength(2_500);
  expect(new Set(ingest.stored.map(({ type }) => type))).toEqual(new Set(["track"]));
});
