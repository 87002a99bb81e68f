import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { type Certificate, createCertificate } from "#support/certificates";
import { createEgress } from "./index.ts";

const authority = createCertificate({ commonName: "Trusted authority", isAuthority: true });
const stranger = createCertificate({ commonName: "Unknown authority", isAuthority: true });
const HOSTS = ["localhost", "127.0.0.1"];
const signed = { commonName: "localhost", hosts: HOSTS, issuer: authority };
const expired = { notBefore: new Date(0), notAfter: new Date(Date.now() - 60_000) };

/** POSTs to an endpoint with this certificate; tells the result and how many requests arrived there. */
async function postTo(certificate: Certificate, host = "localhost") {
  let requests = 0;
  const server = createServer(certificate, (_request, response) => {
    requests += 1;
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = createEgress({
    allowCidrs: ["127.0.0.0/8"],
    ca: [authority.cert],
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  });
  try {
    const url = `https://${host}:${(server.address() as AddressInfo).port}/`;
    const result = await client.post({ url, headers: {}, body: Buffer.from("{}"), deadlineMs: 5_000 });
    return { requests, result };
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
}

describe("a certificate", () => {
  test.each(HOSTS)("of a trusted authority for %s lets the request through", async (host) => {
    const { requests, result } = await postTo(createCertificate(signed), host);
    expect(result).toMatchObject({ kind: "response", status: 200 });
    expect(requests).toBe(1);
  });

  test.each<[string, Certificate]>([
    ["is self-signed", createCertificate({ commonName: "localhost", hosts: HOSTS })],
    ["is self-signed for another host", createCertificate({ commonName: "x.test", hosts: ["x.test"] })],
    ["is self-signed and expired", createCertificate({ commonName: "localhost", hosts: HOSTS, ...expired })],
    [
      "hangs on a self-signed authority that it brings along",
      (({ cert, ...rest }) => ({ ...rest, cert: cert + stranger.cert }))(
        createCertificate({ ...signed, issuer: stranger }),
      ),
    ],
  ])("that %s is `self_signed`, and no request is sent (contract 2.7)", async (_what, certificate) => {
    const { requests, result } = await postTo(certificate);
    expect(result).toMatchObject({ kind: "failure", failure: "self_signed" });
    expect(requests).toBe(0);
  });

  test.each<[string, Certificate]>([
    ["is for another host", createCertificate({ ...signed, commonName: "x.test", hosts: ["x.test"] })],
    ["has expired", createCertificate({ ...signed, ...expired })],
    ["is not valid yet", createCertificate({ ...signed, notBefore: new Date(Date.now() + 3_600_000) })],
    ["comes from an unknown authority", createCertificate({ ...signed, issuer: stranger })],
  ])("that %s is `tls`, and no request is sent", async (_what, certificate) => {
    const { requests, result } = await postTo(certificate);
    expect(result).toMatchObject({ kind: "failure", failure: "tls" });
    expect(requests).toBe(0);
  });

  test("is verified even when the environment says not to", async () => {
    const { env } = process;
    env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const { requests, result } = await postTo(createCertificate({ ...signed, issuer: stranger }));
      expect(result).toMatchObject({ kind: "failure", failure: "tls" });
      expect(requests).toBe(0);
    } finally {
      delete env["NODE_TLS_REJECT_UNAUTHORIZED"];
    }
  });
});
