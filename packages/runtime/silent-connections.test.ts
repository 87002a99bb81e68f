import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "@jest/globals";
import { closesUnused } from "./silent-connections.ts";

test("a server that closes waits for requests under way, and for no connection over which nothing comes", async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  const server = createServer((_, response) => asked.resolve(response));
  const closeUnused = closesUnused(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const [silent, asking] = [connect(port, "127.0.0.1"), connect(port, "127.0.0.1")];
  const silentEnds = once(silent.resume(), "close");
  await Promise.all([silent, asking].map((socket) => once(socket, "connect")));
  asking.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const response = await asked.promise;
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  closeUnused();
  await silentEnds;
  expect(asking.destroyed).toBe(false);
  response.end("answered");
  const [answer] = (await once(asking, "data")) as [Buffer];
  expect(answer.toString()).toContain("answered");
  await closed;
});
