// Refusals for now: 429 and 503 (contract 7.3), and nothing answered with 200 that is not stored (7.2).
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { until } from "#support/until";
import {
  answerToHeaders,
  BASIC,
  type FixtureOptions,
  type IngestFixture,
  post,
  startFixture,
  WRITE_KEY,
} from "../fixtures/http.ts";

let ingest: IngestFixture;
afterEach(() => ingest.close());

async function start(options: FixtureOptions): Promise<void> {
  ingest = await startFixture(options);
}

const call = { event: "E", userId: "u" };
const sendCall = () => post(ingest, "/v1/track", { body: call });
const PIXEL = Buffer.from(JSON.stringify({ ...call, writeKey: WRITE_KEY })).toString("base64url");
const fetchPixel = () => fetch(`${ingest.url}/v1/pixel/track?data=${PIXEL}`);

test("200 comes only after the calls are stored", async () => {
  const acknowledged = Promise.withResolvers<"stored">();
  await start({ store: () => acknowledged.promise });
  let answered = false;
  const reply = sendCall().then((value) => {
    answered = true;
    return value;
  });
  await until(() => ingest.gate.waitingBytes > 0, { timeoutMs: 30_000, what: "the request to arrive" });
  expect(answered).toBe(false);
  acknowledged.resolve("stored");
  expect(await reply).toMatchObject({ status: 200 });
  expect(ingest.gate.waitingBytes).toBe(0);
});

test("when Kafka does not acknowledge it is 503 with Retry-After", async () => {
  await start({ store: async () => "unavailable" });
  const reply = await sendCall();
  expect(reply).toMatchObject({ status: 503, body: { success: false, code: "unavailable" } });
  expect(reply.headers.get("retry-after")).toMatch(/^[1-9]\d*$/);
});

test("a bug in storing is one 500, or a picture, and a word to the operators; the next call is served", async () => {
  let bug = true;
  await start({
    store: async () => {
      if (bug) throw new Error("a bug");
      return "stored";
    },
  });
  expect(await sendCall()).toMatchObject({ status: 500, body: { code: "internal_error" } });
  const pixel = await fetchPixel();
  expect([pixel.status, pixel.headers.get("content-type")]).toEqual([200, "image/gif"]);
  expect(ingest.unexpected).toMatchObject([{ message: "a bug" }, { message: "a bug" }]);
  bug = false;
  expect(await sendCall()).toMatchObject({ status: 200 });
});

describe("load shedding", () => {
  test.each([
    ["starting", { load: { unavailable: () => "starting" as const } }],
    ["kafka", { load: { unavailable: () => "kafka" as const } }],
    ["waiting_bytes", { limits: { maxWaitingBytes: 0 } }],
    ["unacknowledged", { load: { unacknowledgedMs: () => 60_000 } }],
    [
      "event_loop",
      {
        limits: { maxEventLoopUtilisation: 0.98 },
        load: { eventLoop: () => ({ utilisation: 0.99, lagMs: 300 }) },
      },
    ],
  ])("%s: 503 before the body is read", async (reason, options: FixtureOptions) => {
    await start(options);
    const answer = await answerToHeaders(ingest, "/v1/track", { ...BASIC, "content-length": "100" });
    expect(answer.status).toBe(503);
    expect(answer.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
    expect(await ingest.metrics.expose()).toContain(`ingest_requests_shed_total{reason="${reason}"} 1`);
  });

  test("a partition that acknowledges nothing refuses no other's calls, while they are stored", async () => {
    let [sinceStoredMs, sinceTriedMs] = [2_000, 0];
    await start({
      load: {
        unacknowledgedMs: () => 3_900,
        sinceStoredMs: () => sinceStoredMs,
        sinceTriedMs: () => sinceTriedMs,
      },
    });
    expect(await sendCall()).toMatchObject({ status: 200 });
    sinceStoredMs = 2_001;
    expect(await sendCall()).toMatchObject({ status: 503 });
    // With few calls nobody may have tried another partition meanwhile.
    sinceTriedMs = 1_000;
    expect(await sendCall()).toMatchObject({ status: 200 });
  });

  test("an event loop that is busy but keeps up refuses nothing", async () => {
    await start({
      limits: { maxEventLoopUtilisation: 0.98 },
      load: { eventLoop: () => ({ utilisation: 1, lagMs: 20 }) },
    });
    expect(await sendCall()).toMatchObject({ status: 200 });
  });

  test("a body that outgrows the room while another waits is 503; alone it is served, as it never could be otherwise", async () => {
    const stored = Promise.withResolvers<"stored">();
    await start({ limits: { maxWaitingBytes: 20_000 }, store: () => stored.promise });
    const waiting = sendCall();
    await until(() => ingest.gate.waitingBytes > 0, { timeoutMs: 30_000, what: "the other to arrive" });
    const sendBig = () =>
      post(ingest, "/v1/track", { body: { ...call, properties: { text: "x".repeat(25_000) } } });
    expect(await sendBig()).toMatchObject({ status: 503 });
    stored.resolve("stored");
    expect(await waiting).toMatchObject({ status: 200 });
    expect(ingest.gate.waitingBytes).toBe(0);
    expect(await sendBig()).toMatchObject({ status: 200 });
  });

  test("the connection is used again after a refusal: the unread body does not turn into a request", async () => {
    let open = false;
    await start({ load: { unavailable: () => (open ? undefined : "starting") } });
    const body = "POST /v1/track HTTP/1.1 smuggled ".repeat(3_000);
    expect(await post(ingest, "/v1/batch", { body })).toMatchObject({ status: 503 });
    open = true;
    expect(await sendCall()).toMatchObject({ status: 200 });
    expect(ingest.stored).toHaveLength(1);
  });

  test("a caller that goes on writing after a refusal is cut off: not all it announced is read", async () => {
    await start({ load: { unavailable: () => "starting" } });
    const announcedBytes = 256_000_000;
    const socket = connect(ingest.port, "127.0.0.1");
    const closed = Promise.withResolvers<void>();
    socket.on("error", () => undefined).on("close", () => closed.resolve());
    socket.resume();
    socket.write(`POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: ${announcedBytes}\r\n\r\n`);
    const megabyte = Buffer.alloc(1_000_000, 32);
    const write = () => {
      while (!socket.destroyed && socket.bytesWritten < announcedBytes && socket.write(megabyte));
    };
    socket.on("drain", write);
    write();
    await closed.promise;
    expect(socket.bytesWritten).toBeLessThan(announcedBytes / 2);
  });

  test("a caller that stops in the middle of a refused body is closed when its time is over", async () => {
    const closings: (() => void)[] = [];
    const host = {
      elapsed: () => 0,
      setTimeout(work: () => void) {
        closings.push(work);
        return { clear: () => undefined };
      },
    };
    await start({ load: { unavailable: () => "starting" }, parts: { host } });
    const socket = connect(ingest.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("POST /v1/batch HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf");
    await once(socket, "data");
    await until(() => closings.length > 0, { timeoutMs: 30_000, what: "its time to be set" });
    closings[0]?.();
    await once(socket, "close");
  });

  test("a caller that asks first (Expect: 100-continue) sends no body when it is refused", async () => {
    await start({ load: { unavailable: () => "starting" } });
    const headers = { ...BASIC, expect: "100-continue", "content-length": "100" };
    const asking = request(`${ingest.url}/v1/track`, { method: "POST", headers });
    let continued = false;
    asking.on("continue", () => {
      continued = true;
    });
    asking.flushHeaders();
    const [response] = await once(asking, "response");
    expect([response.statusCode, continued]).toEqual([503, false]);
    asking.on("error", () => undefined).destroy();
  });

  test("a caller that asks first and is let in is served", async () => {
    await start({});
    const json = JSON.stringify(call);
    const headers = { ...BASIC, expect: "100-continue", "content-length": String(json.length) };
    const asking = request(`${ingest.url}/v1/track`, { method: "POST", headers });
    asking.on("continue", () => asking.end(json));
    asking.flushHeaders();
    const [response] = await once(asking, "response");
    expect(response.statusCode).toBe(200);
    response.resume();
  });

  test("a pixel is a picture all the same, and is not stored", async () => {
    await start({ load: { unavailable: () => "kafka" } });
    expect((await fetchPixel()).status).toBe(200);
    expect(ingest.stored).toEqual([]);
    expect(await ingest.metrics.expose()).toContain('ingest_requests_shed_total{reason="kafka"} 1');
  });
});

test("a call whose key is in its body is refused over the source's rate, though it was read", async () => {
  await start({ callsPerSecond: 1, parts: { nowMs: () => 1_700_000_000_000 } });
  const body = { ...call, writeKey: WRITE_KEY };
  const statuses: number[] = [];
  for (let sent = 0; sent < 3; sent += 1)
    statuses.push((await post(ingest, "/v1/track", { body, headers: {} })).status);
  expect(statuses).toEqual([200, 200, 429]);
  expect(ingest.stored).toHaveLength(2);
});

test("a connection over the number that may be open is closed at once; the others go on", async () => {
  await start({ maxConnections: 2 });
  const open = [connect(ingest.port, "127.0.0.1"), connect(ingest.port, "127.0.0.1")];
  for (const socket of open) await once(socket, "connect");
  const [first] = open;
  first?.write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
  if (first !== undefined) await once(first, "data");
  const third = connect(ingest.port, "127.0.0.1").resume();
  await once(third, "close");
  first?.write("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
  if (first !== undefined) await once(first, "data");
  for (const socket of open) socket.destroy();
});

test("the time that a caller takes for its body is not that of the answer", async () => {
  let elapsedMs = 0;
  await start({ parts: { host: { ...systemHost, elapsed: () => elapsedMs } } });
  const open = request(`${ingest.url}/v1/track`, { method: "POST", headers: BASIC });
  open.write('{"event":"E",');
  await until(() => ingest.gate.waitingBytes > 0, { timeoutMs: 30_000, what: "half a body to arrive" });
  elapsedMs = 8_000;
  open.end('"userId":"u"}');
  const [response] = (await once(open, "response")) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(200);
  expect(await ingest.metrics.expose()).toMatch(
    /duration_seconds_bucket\{le="0.25",[^}]*route="call"[^}]*\} 1$/m,
  );
});

test("a caller that goes away in the middle of its body leaves nothing behind", async () => {
  await start({});
  const open = request(`${ingest.url}/v1/track`, {
    method: "POST",
    headers: { ...BASIC, "content-length": "100" },
  });
  open.on("error", () => undefined);
  open.write('{"event":');
  await until(() => ingest.gate.waitingBytes > 0, { timeoutMs: 30_000, what: "half a body to arrive" });
  open.destroy();
  await until(() => ingest.gate.waitingBytes === 0, {
    timeoutMs: 30_000,
    what: "the bytes to be given back",
  });
  const requests = async () => await ingest.metrics.expose();
  expect(await requests()).toContain('ingest_requests_total{route="call",status="aborted"} 1');
  expect(await requests()).toMatch(/duration_seconds_count\{[^}]*route="call"[^}]*\} 0$/m);
  expect(ingest.stored).toEqual([]);
});
