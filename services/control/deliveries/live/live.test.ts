// Live events over HTTP, on real Kafka; what ingest and deliverers write is written by the test.
import { once } from "node:events";
import { connect as connectTo } from "node:net";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { attempt, call, refusedCalls, WEBHOOK } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import { startService } from "#support/service";
import { until } from "#support/until";
import type { Call, RefusedCalls } from "#topics";
import { control, sourceId, topics, useTopics } from "../fixtures/use-topics.ts";

let destinationId: string;

useTopics();
beforeAll(async () => {
  const body = { name: "D", sourceIds: [sourceId], webhooks: [{ url: WEBHOOK }] };
  destinationId = (await control.ask("/v1/destinations", { body })).body.id;
}, 180_000);

const writeCall = (changes: Partial<Call>) =>
  topics.write(control.topics.calls, [call({ sourceId, ...changes })]);

const writeRefused = (changes: Partial<RefusedCalls>) =>
  topics.write(control.topics.refusedCalls, [refusedCalls({ sourceId, calls: 2, index: 1, ...changes })]);

function writeAttempt(changes: Parameters<typeof attempt>[0]): Promise<void> {
  const record = attempt({ sourceId, destinationId, startedAtMs: Date.now(), ...changes });
  return topics.write(control.topics.deliveryAttempts, [record]);
}

interface Seen {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
  readonly id: string | undefined;
}

/** Listens, and resolves when nothing is missed any more. */
async function watch(path: string, url: string = control.url, lastId?: string) {
  const leaving = new AbortController();
  const headers = lastId === undefined ? {} : { "last-event-id": lastId };
  const response = await fetch(`${url}${path}`, { headers, signal: leaving.signal });
  const events: Seen[] = [];
  const reading = (async () => {
    let text = "";
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const parts = `${text}${piece}`.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const [, name = "", data = "", id] = /^event: (\w+)\ndata: (.*)(?:\nid: (.+))?$/.exec(part) ?? [];
        if (name !== "") events.push({ name, data: JSON.parse(data), id });
      }
    }
  })();
  // Who leaves does not read to the end.
  const ended = reading.then(
    () => "in order",
    () => "cut off",
  );
  const seen = (name: string) => events.filter((event) => event.name === name).map(({ data }) => data);
  const sees = (name: string, count = 1) =>
    until(async () => seen(name).length >= count, { timeoutMs: 60_000, what: `${count} events ${name}` });
  await sees("listening");
  return { ended, events, leave: () => leaving.abort(), response, seen, sees };
}

describe("who watches a source", () => {
  test("sees its calls as they are accepted and refused, and their deliveries, and no other's", async () => {
    await writeCall({ messageId: "before" });
    const { leave, response, seen, sees } = await watch(`/v1/sources/${sourceId}/live`);
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    await writeCall({ messageId: "other", sourceId: "src_other" });
    await writeRefused({ sourceId: "src_other" });
    await writeAttempt({ messageId: "other", sourceId: "src_other", sequence: 1 });
    await writeCall({ messageId: "new" });
    await writeCall({ messageId: "long", body: Buffer.from(`{"a":"${"é".repeat(5_000)}"}`) });
    const unreadable = { body: Buffer.from('{"originalTimestamp":"soon"}'), messageId: "unreadable" };
    await writeCall(unreadable);
    await writeCall({ ...unreadable, messageId: "read", timestampMs: 1 });
    await writeRefused({});
    await writeAttempt({ messageId: "new", sequence: 2 });
    await Promise.all([sees("accepted", 4), sees("refused"), sees("delivery")]);
    const warned = seen("accepted").filter(({ warnings }) => warnings !== undefined);
    expect(warned).toMatchObject([{ messageId: "unreadable", warnings: [{ code: "timestamp_unreadable" }] }]);
    expect(seen("accepted").filter(({ messageId }) => messageId === "new")).toEqual([
      {
        messageId: "new",
        type: "track",
        event: "Order Completed",
        userId: "u1",
        anonymousId: null,
        receivedAt: "2026-01-01T00:00:00.000Z",
        ...{ bodyText: '{"type":"track"}', isBodyCut: false },
      },
    ]);
    const [long] = seen("accepted").filter(({ messageId }) => messageId === "long");
    expect([long.bodyText.length, long.isBodyCut]).toEqual([4_096, true]);
    expect(seen("refused")).toMatchObject([
      {
        ...{ code: "event_not_defined", message: "no event", calls: 2, index: 1 },
        ...{ bodyText: '{"type":"track","userId":"u1"}', isBodyCut: false },
      },
    ]);
    expect(seen("delivery")).toMatchObject([{ messageId: "new", destinationId, outcome: "http_5xx" }]);
    leave();
  }, 180_000);
});

test("who was cut off comes back with the last id, and has every event once, in its order", async () => {
  const path = `/v1/sources/${sourceId}/live`;
  const first = await watch(path);
  await writeCall({ messageId: "cut-0" });
  await first.sees("accepted");
  const lastId = first.events.at(-1)?.id;
  first.leave();
  await first.ended;
  for (const n of [1, 2, 3]) await writeCall({ messageId: `cut-${n}` });
  const second = await watch(path, control.url, lastId);
  await second.sees("accepted", 3);
  expect(second.seen("accepted").map(({ messageId }) => messageId)).toEqual(["cut-1", "cut-2", "cut-3"]);
  expect(second.seen("missed")).toEqual([]);
  second.leave();

  const stranger = await watch(path, control.url, "another-process.7");
  expect(stranger.seen("missed")).toEqual([{ events: null }]);
  stranger.leave();
}, 180_000);

describe("who watches a destination", () => {
  test("sees its deliveries with the URL shortened, and none that are old", async () => {
    const { leave, seen, sees } = await watch(`/v1/destinations/${destinationId}/live`);
    await writeAttempt({ messageId: "old", startedAtMs: Date.now() - 3_600_000, sequence: 3 });
    await writeAttempt({ messageId: "fresh", sequence: 4 });
    await sees("delivery");
    expect(seen("delivery")).toMatchObject([
      { messageId: "fresh", url: "https://a.test/services/***#fad5ba" },
    ]);
    leave();
  }, 180_000);
});

test("what is not there cannot be watched, and a HEAD does not listen", async () => {
  expect((await control.ask("/v1/sources/src_none/live")).status).toBe(404);
  expect((await control.ask("/v1/destinations/dst_none/live")).status).toBe(404);
  expect((await fetch(`${control.url}/v1/sources/${sourceId}/live`, { method: "HEAD" })).status).toBe(405);
});

test("a process that is told to end by SIGTERM ends its streams in order, and then itself", async () => {
  const { keys, prefix, stack } = control;
  const dataFolder = scratchFolder();
  const service = await startService({
    name: "control",
    settings: {
      HOOKLINE_KAFKA_BROKERS: stack.brokers.join(","),
      HOOKLINE_SCHEMA_REGISTRY_URL: stack.registryUrl,
      HOOKLINE_TOPIC_PREFIX: prefix,
      HOOKLINE_RETRY_DELAYS: "1s",
      HOOKLINE_ENCRYPTION_KEYS: keys,
      HOOKLINE_DATA_DIR: dataFolder,
    },
  });
  try {
    const url = `http://127.0.0.1:${service.ports["controlPort"]}`;
    const source = await watch(`/v1/sources/${sourceId}/live`, url);
    const destination = await watch(`/v1/destinations/${destinationId}/live`, url);
    expect(await service.stop()).toBe(0);
    expect(await Promise.all([source.ended, destination.ended])).toEqual(["in order", "in order"]);
  } finally {
    await service.kill();
  }
}, 180_000);

test("the service ends with listeners connected, also with one that does not read", async () => {
  const { ended } = await watch(`/v1/sources/${sourceId}/live`);
  const { host, port } = new URL(control.url);
  const deaf = connectTo(Number(port), "127.0.0.1");
  deaf.write(`GET /v1/sources/${sourceId}/live HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(deaf, "readable");
  await control.stop();
  await ended;
  deaf.destroy();
}, 180_000);
