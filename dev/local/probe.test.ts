import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { freePorts } from "./ports.ts";
import { accepts, countBrokers } from "./probe.ts";

let server: Server | undefined;
const sockets: Socket[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server?.close();
});

/** Something that listens, and what it does with a request. */
async function listening(onRequest: (socket: Socket) => void): Promise<string> {
  server = createServer((socket) => {
    sockets.push(socket);
    socket.once("data", () => onRequest(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A wait longer than a test may take: what ends before is known at once. */
const LONG_MS = 10 * 60_000;

test.each([
  ["ends the connection", LONG_MS, (socket: Socket) => void socket.end()],
  ["breaks the connection", LONG_MS, (socket: Socket) => void socket.resetAndDestroy()],
  ["answers too little", LONG_MS, (socket: Socket) => void socket.write("HTTP/1.1")],
  ["never answers", 300, () => undefined],
])("one that accepts a request and %s is no broker", async (_, timeoutMs, onRequest) => {
  const address = await listening(onRequest);
  expect([await countBrokers(address, timeoutMs), await accepts(address, timeoutMs)]).toEqual([0, true]);
});

test("where nobody listens there is no broker", async () => {
  const [port] = await freePorts(1);
  expect([await countBrokers(`127.0.0.1:${port}`), await accepts(`127.0.0.1:${port}`)]).toEqual([0, false]);
});
