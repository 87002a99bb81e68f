// The index and the answers from it, on real Kafka; what deliverers write is written by the test.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { type ControlService, startControl } from "#support/control-service";
import { attempt, DETAILS, deadLetter, START_MS, total, WEBHOOK } from "#support/records";
import { until } from "#support/until";
import { webhookId } from "../http/webhook-fields.ts";
import { control, sourceId, topics, useTopics } from "./fixtures/use-topics.ts";

/** Shown of it. */
const SHOWN = "https://a.test/services/***#fad5ba";
const MINUTE_MS = 60_000;
const NOW_MS = Date.now();
const HOUR_AGO_MS = Math.floor((NOW_MS - 60 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS;
const BODY = '{"version":1,"type":"track","userId":"u","2":"two","1":"one","text":"é"}';

let id: string;

/** Waits until everything written before is in the index. */
async function untilIndexed(service: ControlService): Promise<void> {
  const sinceMs = Date.now();
  const paths = [`/v1/destinations/${id}/attempts`, `/v1/destinations/${id}/stats`, "/v1/dead-letters"];
  const isIndexed = async (path: string): Promise<boolean> =>
    Date.parse((await service.ask(path)).body.indexedUntil ?? "1970-01-01") >= sinceMs;
  await until(async () => (await Promise.all(paths.map(isIndexed))).every(Boolean), {
    timeoutMs: 30_000,
    what: "the index to come so far",
  });
}

useTopics();
beforeAll(async () => {
  const body = { name: "D", sourceIds: [sourceId], webhooks: [{ url: WEBHOOK }] };
  id = (await control.ask("/v1/destinations", { body })).body.id;
  const at = (minute: number) => HOUR_AGO_MS + minute * MINUTE_MS;
  const { deliveryAttempts, deliveryTotals, deadLetters } = control.topics;
  await topics.write(
    deliveryAttempts,
    Array.from({ length: 120 }, (_, index) =>
      attempt({
        sequence: index + 1,
        destinationId: id,
        messageId: `m${index}`,
        outcome: index % 3 === 0 ? "success" : "timeout",
        status: index % 3 === 0 ? 200 : null,
        message: index % 3 === 0 ? "" : "no response within 5 s",
        startedAtMs: at(0) + index,
        ...(index === 117 && DETAILS),
      }),
    ),
  );
  const counts = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 98, 2];
  await topics.write(deliveryTotals, [
    total({
      sequence: 1,
      destinationId: id,
      minuteMs: at(1),
      outcomes: { success: 90 },
      durationCounts: counts,
    }),
    total({ sequence: 2, destinationId: id, minuteMs: at(1), outcomes: { timeout: 10 }, durationCounts: [] }),
    total({ sequence: 2, destinationId: id, minuteMs: at(1), outcomes: { timeout: 10 }, durationCounts: [] }),
    total({ sequence: 3, destinationId: id, minuteMs: at(5), outcomes: { diverted: 3 }, durationCounts: [] }),
  ]);
  await topics.write(deadLetters, [
    deadLetter({ id: "dl-1", destinationId: id, body: Buffer.from(BODY), deadAtMs: at(1) }),
    deadLetter({ id: "dl-2", destinationId: id, reason: "window_over", deadAtMs: at(2) }),
    deadLetter({ id: "dl-3", destinationId: "dst_other", deadAtMs: at(3) }),
    deadLetter({
      id: `${control.topics.deliveryJobs.name}-0-7`,
      reason: "undecodable",
      destinationId: null,
      sourceId: null,
      messageId: null,
      type: null,
      receivedAtMs: null,
      deadAtMs: at(4),
      body: Buffer.from([0xff, 0xfe, 0x00]),
    }),
  ]);
  await topics.writeRaw(deadLetters, null, Buffer.from("no record"));
  await untilIndexed(control);
}, 180_000);

const attempts = async (query: string) => await control.ask(`/v1/destinations/${id}/attempts${query}`);

describe("attempts (contract 10.5)", () => {
  test("are listed newest first, each with what happened", async () => {
    const { status, body } = await attempts("?limit=2");
    expect(status).toBe(200);
    expect(body.data).toEqual([
      {
        startedAt: new Date(HOUR_AGO_MS + 119).toISOString(),
        messageId: "m119",
        sourceId: "s1",
        userId: "u1",
        anonymousId: null,
        type: "track",
        webhookId: webhookId(id, WEBHOOK),
        url: SHOWN,
        attempt: 1,
        outcome: "timeout",
        retryable: true,
        status: null,
        durationMs: 12,
        error: "no response within 5 s",
        response: null,
        connection: { address: null, dnsMs: null, connectMs: null, tlsMs: null, waitMs: null },
        replayId: null,
        suppressed: 0,
      },
      expect.objectContaining({ messageId: "m118" }),
    ]);
  });

  test("say what the endpoint answered and what the connection took", async () => {
    const { body } = await attempts("?messageId=m117");
    const { responseBody, responseHeaders, address, dnsMs, connectMs, tlsMs, waitMs } = DETAILS;
    expect(body.data).toEqual([
      expect.objectContaining({
        response: { headers: responseHeaders, body: responseBody },
        connection: { address, dnsMs, connectMs, tlsMs, waitMs },
      }),
    ]);
  });

  test("come page by page, each once", async () => {
    const seen: string[] = [];
    for (let query = "?limit=50"; query !== ""; ) {
      const { body } = await attempts(query);
      seen.push(...body.data.map(({ messageId }: { messageId: string }) => messageId));
      query = body.next === null ? "" : `?limit=50&after=${body.next}`;
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, index) => `m${119 - index}`));
  });

  test.each([
    ["?outcome=success&limit=200", 40],
    ["?outcome=failed&limit=200", 80],
    ["?outcome=dns", 0],
    ["?messageId=m7", 1],
    [`?from=${new Date(HOUR_AGO_MS + 10).toISOString()}&to=${new Date(HOUR_AGO_MS + 20).toISOString()}`, 10],
  ])("with %s there are %p", async (query, count) => {
    expect((await attempts(query)).body.data).toHaveLength(count);
  });

  test.each([
    ["?from=yesterday", ["from"]],
    ["?from=2026-01-02&to=2026-01-01", ["to"]],
    ["?after=nonsense", ["after"]],
    ["?limit=0", ["limit"]],
    ["?status=20x", ["status"]],
  ])("%s is refused by name", async (query, paths) => {
    const { status, body } = await attempts(query);
    expect({ status, paths: body.errors.map(({ path }: { path: string }) => path) }).toEqual({
      status: 422,
      paths,
    });
  });

  test("of a destination that is not there are 404", async () => {
    expect((await control.ask("/v1/destinations/none/attempts")).status).toBe(404);
    expect((await control.ask("/v1/destinations/none/stats")).status).toBe(404);
  });
});

describe("statistics (contract 10.5)", () => {
  test("give each minute's requests by outcome and its percentiles, and the whole range's", async () => {
    const from = new Date(HOUR_AGO_MS).toISOString();
    const { status, body } = await control.ask(`/v1/destinations/${id}/stats?from=${from}`);
    expect(status).toBe(200);
    const [first, second, ...more] = body.data;
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      minute: new Date(HOUR_AGO_MS + MINUTE_MS).toISOString(),
      attempts: { success: 90, timeout: 10 },
    });
    expect(first.p50Ms).toBeGreaterThan(9);
    expect(first.p50Ms).toBeLessThan(11.7);
    expect(first.p99Ms).toBeGreaterThan(first.p50Ms);
    expect(second).toMatchObject({ attempts: { diverted: 3 }, p50Ms: null, p95Ms: null, p99Ms: null });
    expect(body.total.attempts).toEqual({ success: 90, timeout: 10, diverted: 3 });
  });

  test("come in one answer for a page of a list, with what waits", async () => {
    const summaries = (ids: string) => control.ask(`/v1/stats/destinations?ids=${ids}`);
    const one = await control.ask("/v1/destinations", {
      body: { name: "Another", sourceIds: [], webhooks: [{ url: WEBHOOK }] },
    });
    const { body } = await control.ask(
      `/v1/stats/destinations?from=${new Date(HOUR_AGO_MS).toISOString()}&ids=${one.body.id},none,${id},${id}`,
    );
    const nothing = { calls: 0, oldestReceivedAt: null, isComplete: true };
    expect(body.data).toMatchObject([
      { destinationId: one.body.id, attempts: {}, p95Ms: null, waiting: nothing },
      { destinationId: id, attempts: { success: 90, timeout: 10, diverted: 3 }, waiting: nothing },
    ]);
    expect(body.data[1].p95Ms).toBeGreaterThan(9);
    const withoutWaiting = await summaries(`${id}&waiting=false`);
    expect(withoutWaiting.body.data).toMatchObject([{ destinationId: id, waiting: null }]);
    const many = (count: number) => Array.from({ length: count }, (_, at) => `dst_${at}`).join(",");
    expect((await summaries(many(100))).body.data).toEqual([]);
    expect((await summaries(many(101))).status).toBe(422);
    expect((await summaries("")).status).toBe(422);
  });

  test("of several sources come in one answer", async () => {
    const { body: source } = await control.ask("/v1/sources", { body: { name: "Quiet" } });
    const { status, body } = await control.ask(`/v1/stats/sources?ids=none,${source.id}`);
    expect([status, body.data]).toEqual([
      200,
      [{ sourceId: source.id, received: 0, refused: {}, accepted: 0 }],
    ]);
  });

  test("are of the last hour unless asked otherwise, and of seven days at most", async () => {
    const { body } = await control.ask(`/v1/destinations/${id}/stats`);
    const rangeMs = Date.parse(body.to) - Date.parse(body.from);
    expect(Math.abs(rangeMs - 60 * MINUTE_MS)).toBeLessThanOrEqual(MINUTE_MS);
    const { status } = await control.ask(`/v1/destinations/${id}/stats?from=2020-01-01`);
    expect(status).toBe(422);
  });
});

describe("dead letters (contract 3.7, 10.6)", () => {
  const idsOf = async (query: string) =>
    (await control.ask(`/v1/dead-letters${query}`)).body.data.map((letter: { id: string }) => letter.id);

  test("are listed newest first, by destination, reason and time", async () => {
    const raw = `${control.topics.deliveryJobs.name}-0-7`;
    expect(await idsOf("")).toEqual([raw, "dl-3", "dl-2", "dl-1"]);
    expect(await idsOf(`?destinationId=${id}`)).toEqual(["dl-2", "dl-1"]);
    expect(await idsOf("?reason=window_over")).toEqual(["dl-2"]);
    expect(await idsOf("?sourceId=s1")).toEqual(["dl-3", "dl-2", "dl-1"]);
    const from = new Date(HOUR_AGO_MS + 3 * MINUTE_MS).toISOString();
    expect(await idsOf(`?from=${from}&limit=1`)).toEqual([raw]);
  });

  test("of an unknown destination or replay are 404 with the field; of one that is gone they are there", async () => {
    expect(await idsOf("?destinationId=dst_other")).toEqual(["dl-3"]);
    for (const [field, what] of [
      ["destinationId", "destination"],
      ["sourceId", "source"],
      ["replayId", "replay"],
    ]) {
      const { body, status } = await control.ask(`/v1/dead-letters?${field}=none`);
      expect([status, body.errors]).toEqual([404, [{ path: field, message: `there is no ${what} none` }]]);
    }
  });

  test("are shown with their exact body and the reason of every webhook", async () => {
    const { status, body } = await control.ask("/v1/dead-letters/dl-1");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: "dl-1",
      reason: "permanent",
      destinationId: id,
      messageId: "m1",
      receivedAt: new Date(START_MS - 1_000).toISOString(),
      replayable: true,
      replayIds: [],
      body: JSON.parse(BODY),
      bodyText: BODY,
      bodyBase64: null,
      webhooks: [
        {
          webhookId: webhookId(id, WEBHOOK),
          url: SHOWN,
          kind: "permanent",
          reason: "http_4xx",
          status: 410,
          error: "HTTP 410",
        },
      ],
    });
  });

  test("that could not be read are shown as bytes", async () => {
    const { body } = await control.ask(`/v1/dead-letters/${control.topics.deliveryJobs.name}-0-7`);
    expect(body).toMatchObject({
      replayable: false,
      body: null,
      bodyText: null,
      bodyBase64: "//4A",
      messageId: null,
    });
  });

  test("that are not there are 404", async () => {
    expect((await control.ask("/v1/dead-letters/none")).status).toBe(404);
  });
});

test("what is known of a destination stays when it is deleted", async () => {
  const webhooks = [{ url: WEBHOOK }];
  const made = await control.ask("/v1/destinations", { body: { name: "Gone", sourceIds: [], webhooks } });
  const goneId: string = made.body.id;
  const { deliveryAttempts, deadLetters } = control.topics;
  await topics.write(deliveryAttempts, [
    attempt({ writer: "gone", destinationId: goneId, startedAtMs: NOW_MS }),
  ]);
  await topics.write(deadLetters, [deadLetter({ id: "dl-gone", destinationId: goneId, deadAtMs: NOW_MS })]);
  await untilIndexed(control);
  expect((await control.ask("/v1/dead-letters/dl-gone")).body.replayable).toBe(true);
  await control.ask(`/v1/destinations/${goneId}`, { method: "DELETE" });
  const kept = await control.ask(`/v1/destinations/${goneId}/attempts`);
  expect([kept.status, kept.body.data.length]).toEqual([200, 1]);
  expect((await control.ask(`/v1/destinations/${goneId}/stats`)).status).toBe(200);
  expect((await control.ask("/v1/dead-letters/dl-gone")).body.replayable).toBe(false);
}, 180_000);

test("a destination of which nothing is known yet is known when it is deleted: something may still come", async () => {
  const { body } = await control.ask("/v1/destinations", {
    body: { name: "Brief", sourceIds: [], webhooks: [{ url: WEBHOOK }] },
  });
  const ask = async (path: string) => (await control.ask(path)).status;
  const paths = [
    `/v1/dead-letters?destinationId=${body.id}`,
    `/v1/destinations/${body.id}/attempts`,
    `/v1/destinations/${body.id}/stats`,
  ];
  await control.ask(`/v1/destinations/${body.id}`, { method: "DELETE" });
  for (const path of paths) expect([path, await ask(path)]).toEqual([path, 200]);
  for (const path of paths) expect(await ask(path.replace(body.id, "none"))).toBe(404);
});

test("an index that is built again from the topics gives the same answers", async () => {
  const { stack, prefix, keys } = control;
  const rebuilt = await startControl({ stack, prefix, keys });
  try {
    await untilIndexed(rebuilt);
    const paths = [
      `/v1/destinations/${id}/attempts?limit=200`,
      `/v1/destinations/${id}/stats?from=${new Date(HOUR_AGO_MS).toISOString()}&to=${new Date(NOW_MS).toISOString()}`,
      "/v1/dead-letters",
      "/v1/dead-letters/dl-1",
    ];
    for (const path of paths) {
      const [before, after] = [(await control.ask(path)).body, (await rebuilt.ask(path)).body];
      const atAnyTime = { indexedUntil: null, countedUntil: null };
      expect({ ...after, ...atAnyTime }).toEqual({ ...before, ...atAnyTime });
    }
  } finally {
    await rebuilt.stop();
  }
}, 180_000);

test("a record that cannot be read is said once, and does not hold the index up", async () => {
  await until(() => control.logs.some((line) => line.includes("a record cannot be indexed")), {
    timeoutMs: 60_000,
    what: "the line about it",
  });
  expect(control.logs.filter((line) => line.includes("a record cannot be indexed"))).toHaveLength(1);
  expect(await control.metrics()).toMatch(
    /hookline_control_indexed_until_timestamp_seconds\{topic="deadLetters"\} [1-9]/,
  );
});
