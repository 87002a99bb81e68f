import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import { type Certificate, createCertificate } from "#support/certificates";
import { scratchFolder } from "#support/scratch-folder";
import { SILENT_LOGGER } from "../log.ts";
import { createClient, socketFactoryOf } from "./client.ts";
import { certificateOptions } from "./client-certificate.ts";
import { createSharedLookup } from "./shared-lookup.ts";

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

test("a certificate that was renewed in its files is shown, unless its key does not fit yet", async () => {
  const folder = scratchFolder();
  const files = { certificate: join(folder, "tls.crt"), key: join(folder, "tls.key") };
  const named = (commonName: string) => createCertificate({ commonName });
  function write({ cert, key }: Pick<Certificate, "cert" | "key">): void {
    writeFileSync(files.certificate, cert);
    writeFileSync(files.key, key);
  }
  const { cert, key } = named("first");
  const options = certificateOptions({ certificate: cert, key, files }, { warn: () => undefined });
  const asks = { cert, key, requestCert: true, rejectUnauthorized: false };
  const server = createTlsServer(asks).listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connect = socketFactoryOf(createSharedLookup());
  async function shown() {
    const ssl = { ...options, rejectUnauthorized: false };
    const socket = connect({ host: "127.0.0.1", port, ssl, onConnect: () => undefined });
    const [accepted] = (await once(server, "secureConnection")) as [TLSSocket];
    socket.destroy();
    return accepted.getPeerCertificate().subject.CN;
  }
  expect(await shown()).toBe("first");
  const second = named("second");
  write(second);
  expect(await shown()).toBe("second");
  write({ ...second, cert: named("third").cert });
  expect(await shown()).toBe("second");
  server.close();
});
