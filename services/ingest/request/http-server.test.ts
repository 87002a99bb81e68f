import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "@jest/globals";
import { until } from "#support/until";
import { BASIC, type IngestFixture, startFixture } from "../fixtures/http.ts";
import { Reservation } from "../limits/reservation.ts";
import { CALLER_TIMES, type HttpServer, startHttpServer } from "./http-server.ts";

const CLOSED_WITHIN_MS = 60_000;

let server: HttpServer | IngestFixture | undefined;
const sockets: Socket[] = [];

afterEach(async () => {
  // A server waits for every connection that it has not closed.
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
});

/** The answer to a caller that sends this and then nothing more, until the connection is closed. */
async function answerTo(port: number, sent: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const heard: Buffer[] = [];
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  socket.on("data", (chunk: Buffer) => void heard.push(chunk));
  socket.on("error", () => undefined).on("close", () => resolve());
  socket.write(sent);
  await promise;
  return Buffer.concat(heard).toString();
}

describe("a request's headers", () => {
  async function statusWith(fillers: number): Promise<string | undefined> {
    const ingest = await startFixture();
    server = ingest;
    const body = JSON.stringify({ event: "E", userId: "u" });
    const lines = [
      "POST /v1/track HTTP/1.1",
      "Host: x",
      "Connection: close",
      `Content-Length: ${body.length}`,
      ...Array.from({ length: fillers }, (_, index) => `f${index}: x`),
      `Authorization: ${BASIC.authorization}`,
    ];
    const answer = await answerTo(ingest.port, `${lines.join("\r\n")}\r\n\r\n${body}`);
    return answer.split(" ")[1];
  }

  test("are read up to the 200th", async () => {
    expect(await statusWith(196)).toBe("200");
  });

  test("are not looked at behind the 200th: the write key there counts as missing", async () => {
    expect(await statusWith(197)).toBe("400");
  });
});

describe("a request that node:http would answer by itself is answered as JSON", () => {
  test.each([
    ["without Host", "POST /v1/track HTTP/1.1\r\n", "400", "invalid_request"],
    [
      "with an unknown expectation",
      "POST /v1/track HTTP/1.1\r\nHost: x\r\nExpect: 200-ok\r\n",
      "417",
      "unknown_expectation",
    ],
  ])("%s", async (_, head, status, code) => {
    const ingest = await startFixture();
    server = ingest;
    const answer = await answerTo(ingest.port, `${head}Connection: close\r\nContent-Length: 0\r\n\r\n`);
    expect(answer.split(" ")[1]).toBe(status);
    expect(answer).toContain(`"code":"${code}"`);
    expect(ingest.unexpected).toEqual([]);
  });

  test("but for HTTP/1.0, which knows no Host", async () => {
    const ingest = await startFixture();
    server = ingest;
    const body = JSON.stringify({ event: "E", userId: "u" });
    const head = `POST /v1/track HTTP/1.0\r\nAuthorization: ${BASIC.authorization}\r\nContent-Length: ${body.length}\r\n\r\n`;
    expect(await answerTo(ingest.port, head + body)).toContain('{"success":true}');
  });
});

describe("a caller that stops in the middle of its request", () => {
  const startWith = async (times: typeof CALLER_TIMES): Promise<number> => {
    const handler = () => undefined;
    const options = { host: "127.0.0.1", port: 0, maxConnections: 10, handler, isOpen: () => true };
    const started = await startHttpServer({ ...options, times, newRequestId: () => "made" });
    server = started;
    return started.port;
  };

  test.each([
    ["headers", "POST /v1/track HTTP/1.1\r\nHost:", { headersMs: 50, requestMs: 60_000 }],
    [
      "body",
      "POST /v1/track HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf",
      { headersMs: 50, requestMs: 100 },
    ],
  ])(
    "is told to come back when the time for its %s is over, and closed (contract 7.3)",
    async (_, sent, times) => {
      const port = await startWith({ ...times, checkEveryMs: 20 });
      const answer = await answerTo(port, sent);
      expect(answer).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\nRetry-After: 5\r\n/);
      expect(answer).toContain('"code":"request_timeout"');
    },
    CLOSED_WITHIN_MS,
  );

  test("hears nothing when it has sent nothing: it may just be about to use its connection", async () => {
    const port = await startWith({ headersMs: 50, requestMs: 100, checkEveryMs: 20 });
    expect(await answerTo(port, "")).toBe("");
  });

  test("holds its connection for no more than 20 s with headers, 35 s with a body", () => {
    const { checkEveryMs, headersMs, requestMs } = CALLER_TIMES;
    expect([headersMs + checkEveryMs, requestMs + checkEveryMs]).toEqual([20_000, 35_000]);
  });
});

describe("a caller that does not read its answers", () => {
  const refused = `{"type":"track","${"k".repeat(170)}":1e999}`;
  const body = gzipSync(`{"batch":[${Array.from({ length: 2_500 }, () => refused)}]}`);
  const head = `POST /v1/batch HTTP/1.1\r\nHost: x\r\nAuthorization: ${BASIC.authorization}\r\nContent-Length: ${body.length}`;
  const request = Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body]);

  /** Asks for answers of 700 KB each, more than the system takes for a connection. The room is so large once one of them waits. */
  async function askMuch(maxBytesThen: number) {
    const closings: (() => void)[] = [];
    const room = { maxBytes: 64e6, maxBytesOfSource: 64e6, heldBytes: 0, ofSource: new Map() };
    const setTimeout = (work: () => void) => {
      closings.push(work);
      room.maxBytes = maxBytesThen;
      return { clear: () => undefined };
    };
    const gate = { refusal: () => undefined, reserve: () => new Reservation(room), waitingBytes: 0 };
    const ingest = await startFixture({ parts: { gate, host: { elapsed: () => 0, setTimeout } } });
    server = ingest;
    // The system takes this one at once: nothing is armed for it.
    await fetch(`${ingest.url}/v1/track`, { method: "POST", headers: BASIC, body: "{}" });
    expect(closings).toEqual([]);
    const socket = connect(ingest.port, "127.0.0.1").pause();
    sockets.push(socket);
    socket.on("error", () => undefined).write(Buffer.concat(Array.from({ length: 60 }, () => request)));
    const isClosed = async () => {
      await until(() => room.heldBytes === 0, { timeoutMs: 30_000, what: "the room to be free" });
      await once(socket.resume(), "close");
    };
    return { closings, room, isClosed };
  }

  test("is closed when their time is over; they are counted until then", async () => {
    const { closings, isClosed, room } = await askMuch(64e6);
    await until(() => closings.length > 4, { timeoutMs: 30_000, what: "answers that are held" });
    expect(room.heldBytes).toBeGreaterThan(2e6);
    closings[0]?.();
    await isClosed();
  });

  test("is closed at once when there is no room for another one", async () => {
    const { closings, isClosed } = await askMuch(0);
    await until(() => closings.length > 0, { timeoutMs: 30_000, what: "an answer" });
    await isClosed();
  });
});
