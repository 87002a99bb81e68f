import { once } from "node:events";
import { createServer as createPlainServer } from "node:http";
import { createServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "@jest/globals";
import { type Certificate, createCertificate } from "#support/certificates";
import { createEgress } from "./index.ts";
import { tlsWords } from "./tls-words.ts";

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

/** The message of a failed POST to an endpoint with a good certificate and these options. */
async function messageOf(options: ServerOptions | "plain"): Promise<string> {
  const server =
    options === "plain" ? createPlainServer() : createServer({ ...createCertificate(signed), ...options });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const client = createEgress({ allowCidrs: ["127.0.0.0/8"], ca: [authority.cert] });
  try {
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const result = await client.post({ url, headers: {}, body: Buffer.from("{}"), deadlineMs: 5_000 });
    expect(result).toMatchObject({ kind: "failure", failure: "tls" });
    return result.kind === "failure" ? result.message : "";
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
}

describe("a TLS connection that fails says in words", () => {
  const anyCipher = "ALL:@SECLEVEL=0";
  test.each<[string, ServerOptions | "plain", RegExp]>([
    ["that the port speaks no TLS", "plain", /^the endpoint does not speak TLS on this port; .*http:/],
    [
      "that the versions are too old",
      { minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: anyCipher },
      /TLS 1\.2 or later$/,
    ],
    [
      "that no cipher is common",
      { maxVersion: "TLSv1.2", ciphers: "PSK-AES128-CBC-SHA:@SECLEVEL=0" },
      /no cipher/,
    ],
    [
      "that a client certificate is wanted",
      { maxVersion: "TLSv1.2", requestCert: true, rejectUnauthorized: true },
      /client certificate$/,
    ],
    [
      "that the authority is unknown",
      createCertificate({ ...signed, issuer: stranger }),
      /authority is not known/,
    ],
    ["that the name is another one", createCertificate({ ...signed, hosts: ["x.test"] }), /does not match/],
    ["that it has expired", createCertificate({ ...signed, ...expired }), /^certificate has expired$/],
  ])("%s", async (_what, options, words) => {
    expect(await messageOf(options)).toMatch(words);
  });

  test("what OpenSSL says beside its source files, of an error that has no words of its own", () => {
    const text =
      "80F6:error:0A000412:SSL routines:ssl3_read_bytes:bad certificate:../deps/x.c:918:SSL alert number 42\n";
    expect(tlsWords("ERR_SSL_BAD", text)).toBe("the TLS connection failed: bad certificate");
    expect(tlsWords("ECONNRESET", "socket hang up")).toBe("socket hang up");
  });
});

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
