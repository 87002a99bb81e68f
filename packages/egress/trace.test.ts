// Tests what a result says of the connection that its request went over.
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "@jest/globals";
import type { RequestResult } from "#contract";
import { createCertificate } from "#support/certificates";
import { emptyResponse, startRawServer } from "#support/raw-server";
import { closeBehind, egress } from "./fixtures/opened.ts";
import type { Egress } from "./index.ts";

const post = (client: Egress, url: string, deadlineMs = 5_000): Promise<RequestResult> =>
  client.post({ url, headers: {}, body: Buffer.from("{}"), deadlineMs });

/** undici reuses a connection one turn of the event loop after its response. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

async function answering(): Promise<number> {
  const server = await startRawServer((socket, received) => {
    if (received.endsWith("}")) socket.write(emptyResponse(200));
  });
  closeBehind(server);
  return server.port;
}

async function answeringTls(certificate: ReturnType<typeof createCertificate>): Promise<number> {
  const server: Server = createServer(certificate, (_request, response) => response.end());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closeBehind({
    close() {
      server.closeAllConnections();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

const LOOPBACK = { resolve: async () => [{ address: "127.0.0.1", family: 4 }] };
const MS = expect.any(Number);

describe("a result tells of its connection", () => {
  test("the address, and what the name, connecting and the answer took; of a kept connection the answer alone", async () => {
    const url = `http://127.0.0.1:${await answering()}/`;
    const client = egress();
    const first = await post(client, url);
    expect(first.trace).toEqual({ address: "127.0.0.1", phases: { dnsMs: 0, connectMs: MS, waitMs: MS } });
    await turn();
    const second = await post(client, url);
    expect(second.trace).toEqual({ address: "127.0.0.1", phases: { waitMs: MS } });
  });

  test("what the TLS handshake took", async () => {
    const authority = createCertificate({ commonName: "Authority", isAuthority: true });
    const issued = createCertificate({ commonName: "h", hosts: ["127.0.0.1"], issuer: authority });
    const { trace } = await post(
      egress({ ca: [authority.cert] }),
      `https://127.0.0.1:${await answeringTls(issued)}/`,
    );
    expect(trace?.phases).toEqual({ dnsMs: 0, connectMs: MS, tlsMs: MS, waitMs: MS });
  });

  test("how far it came when the handshake failed", async () => {
    const own = createCertificate({ commonName: "h", hosts: ["127.0.0.1"] });
    const { trace } = await post(egress(), `https://127.0.0.1:${await answeringTls(own)}/`);
    expect(trace).toEqual({ address: "127.0.0.1", phases: { dnsMs: 0, connectMs: MS, tlsMs: MS } });
  });

  test("how long was waited for a name, or for an answer, that did not come", async () => {
    const nameless = egress({ resolve: () => new Promise(() => undefined) });
    const unnamed = await post(nameless, "http://silent.test/", 30);
    expect(unnamed).toMatchObject({ failure: "timeout", trace: { phases: { dnsMs: MS } } });
    expect(Object.keys(unnamed.trace?.phases ?? {})).toEqual(["dnsMs"]);
    const server = await startRawServer(() => undefined);
    closeBehind(server);
    // The request has to be written by then, for an answer to be waited for.
    const silent = await post(egress(), `http://127.0.0.1:${server.port}/`, 4_000);
    expect(silent).toMatchObject({ failure: "timeout", trace: { phases: { waitMs: MS } } });
  });

  test("no address of the operator's network behind a name, opened or not, and nothing at all of one that is blocked", async () => {
    const opened = await post(egress(LOOPBACK), `http://name.test:${await answering()}/`);
    expect(opened).toMatchObject({ kind: "response", trace: { phases: { dnsMs: MS, connectMs: MS } } });
    expect(opened.trace).not.toHaveProperty("address");
    const closed = egress({ ...LOOPBACK, allowCidrs: [] });
    expect((await post(closed, "http://name.test/")).trace).toBeUndefined();
    expect((await post(closed, "http://127.0.0.1/")).trace).toBeUndefined();
  });
});
