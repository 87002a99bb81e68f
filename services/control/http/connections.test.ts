// Which connection is closed for a new one, on real sockets and a clock of the test's own.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { until } from "#support/until";
import { boundConnections } from "./connections.ts";

const MOST = 4;
/** More than the buffers of both ends take, written piece by piece. */
const LARGE = Array.from({ length: 512 }, () => Buffer.alloc(64 * 1024));

interface UnderWay {
  readonly request: IncomingMessage;
  readonly reply: ServerResponse;
}

let nowMs: number;
let look: () => void;
let server: ReturnType<typeof createServer>;
let sockets: Socket[];
/** Requests that have a place, in the order in which they came. */
let underWay: UnderWay[];

beforeEach(async () => {
  [nowMs, look, sockets, underWay] = [0, () => undefined, [], []];
  const host = {
    elapsed: () => nowMs,
    setInterval(work: () => void) {
      look = work;
      return { clear: () => undefined };
    },
  };
  server = createServer();
  const connections = boundConnections({ host, server, most: MOST });
  server.on("request", (request, reply) => {
    try {
      const begun = connections.begin(request, String(request.headers["token"]));
      reply.once("close", () => begun.end());
    } catch {
      reply.writeHead(503).end();
      return;
    }
    if (request.url === "/at-once") reply.end();
    else underWay.push({ request, reply });
    if (request.url === "/large") Readable.from(LARGE).pipe(reply);
    if (request.url === "/read") request.resume();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

async function open(): Promise<Socket> {
  const accepted = once(server, "connection");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  await Promise.all([once(socket, "connect"), accepted]);
  return socket;
}

interface Asked {
  readonly token?: string;
  readonly headers?: string;
}

function ask(socket: Socket, url: string, { token = "a", headers = "" }: Asked = {}): void {
  socket.write(`POST ${url} HTTP/1.1\r\nHost: localhost\r\nToken: ${token}\r\n${headers}\r\n`);
}

/** A request on a connection of its own, as soon as it is under way. */
async function begin(url: string, asked?: Asked): Promise<Socket> {
  const before = underWay.length;
  const socket = await open();
  ask(socket, url, asked);
  await until(() => underWay.length > before, { timeoutMs: 60_000, what: `${url} to be under way` });
  return socket;
}

/** What a new connection is answered; undefined when it is closed. */
async function statusOfNext(token = "next"): Promise<string | undefined> {
  const socket = await open();
  const answered = Promise.race([once(socket, "data"), once(socket, "close").then(() => [])]);
  ask(socket, "/at-once", { token });
  const [answer] = await answered;
  return answer === undefined ? undefined : String(answer).slice(9, 12);
}

const BODY = { headers: "Content-Length: 100\r\n" };

/** Which of the requests in `underWay` lost their connections meanwhile. */
async function closedBy(work: () => Promise<unknown>): Promise<number[]> {
  const isGone = () => underWay.map(({ request }) => request.socket.destroyed);
  const before = isGone();
  await work();
  return isGone().flatMap((gone, index) => (gone && before[index] === false ? [index] : []));
}

test("a request whose body does not come makes room, the first one first", async () => {
  for (let index = 0; index < MOST; index += 1) await begin("/read", BODY);
  expect(await closedBy(async () => expect(await statusOfNext()).toBe("200"))).toEqual([0]);
});

test("an upload whose bytes come is held; ten seconds after the last of them it makes room", async () => {
  const upload = await begin("/read", BODY);
  for (const token of ["a", "b", "b"]) await begin("/waits", { token });
  const upTo = underWay[0]?.request.socket.bytesRead ?? 0;
  for (const part of ["1", "2"]) {
    upload.write(part);
    const bytes = upTo + Number(part);
    const arrived = () => underWay[0]?.request.socket.bytesRead === bytes;
    await until(arrived, { timeoutMs: 60_000, what: "the upload to go on" });
    nowMs += 9_000;
    look();
    nowMs += 9_000;
    expect(await closedBy(async () => expect(await statusOfNext()).toBeUndefined())).toEqual([]);
  }
  nowMs += 2_000;
  expect(await closedBy(async () => expect(await statusOfNext()).toBe("200"))).toEqual([0]);
});

test("bytes that the server leaves waiting are not the sender's fault", async () => {
  const upload = await begin("/waits", BODY);
  upload.write("half");
  for (const token of ["a", "b", "b"]) await begin("/waits", { token });
  const isThere = () => underWay[0]?.request.readableLength === 4;
  await until(isThere, { timeoutMs: 60_000, what: "the bytes to arrive" });
  look();
  nowMs += 60_000;
  expect(await statusOfNext()).toBeUndefined();
});

function takenOfFirst(): number {
  const { bytesWritten = 0, writableLength = 0 } = underWay[0]?.request.socket ?? {};
  return bytesWritten - writableLength;
}

test("an answer of which nobody takes a byte for thirty seconds makes room; one that is read is held", async () => {
  for (const token of ["a", "a", "b"]) await begin("/large", { token });
  await begin("/waits", { token: "b" });
  look();
  nowMs += 29_000;
  expect(await statusOfNext()).toBeUndefined();
  const [before, [read]] = [takenOfFirst(), sockets];
  read?.resume();
  await until(() => takenOfFirst() > before, { timeoutMs: 60_000, what: "some of the first to be taken" });
  read?.pause();
  nowMs += 2_000;
  expect(await closedBy(async () => expect(await statusOfNext()).toBe("200"))).toEqual([1]);
});

test("half may have requests of one token under way; what is silent does not count", async () => {
  await begin("/read", BODY);
  await begin("/waits");
  expect(await statusOfNext("a")).toBe("200");
  await begin("/waits");
  expect(await statusOfNext("a")).toBe("503");
  expect(await statusOfNext("b")).toBe("200");
  underWay[1]?.reply.end();
  await until(async () => (await statusOfNext("a")) === "200", {
    timeoutMs: 60_000,
    what: "the token to have room again",
  });
});
