import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { SILENT_LOGGER } from "../log.ts";
import { createClient, socketFactoryOf } from "./client.ts";

test("of a host none of whose addresses answers, the error says so of each", async () => {
  const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
  const connect = socketFactoryOf((_host, _options, answered) => answered(null, addresses));
  const socket = connect({ host: "broker", port: 1, ssl: undefined as never, onConnect: () => undefined });
  const [error] = await once(socket, "error").catch((thrown: unknown) => [thrown]);
  expect(String(error)).toContain("connect ECONNREFUSED 127.0.0.1:1; connect ECONNREFUSED 127.0.0.2:1");
});

test("a broker may be given by its IPv6 address", async () => {
  const server = createServer().listen(0, "::1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const settings = { brokers: [`[::1]:${port}`], clientId: "c", tls: false };
  const admin = createClient(settings, SILENT_LOGGER, systemHost).admin();
  const connecting = admin.connect().catch(() => undefined);
  const [socket] = (await once(server, "connection")) as [Socket];
  expect(socket.localAddress).toBe("::1");
  server.close();
  socket.destroy();
  await connecting;
});
