import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { deliveryHeaders } from "../../../packages/contract/index.ts";
import { until } from "../../../test/support/until.ts";
import { type Receipt, type ReceiveOptions, receiveCall } from "./index.ts";

const SECRETS = ["new", "old"];
const CALL = { type: "track", userId: "u1", event: "Größe", messageId: "m.1" };
const BODY = Buffer.from(JSON.stringify(CALL));

/** What the deliverer sends for a destination with the option on. */
const headersFor = (body: Buffer) =>
  deliveryHeaders({
    body,
    staticHeaders: {},
    sharedSecret: "new",
    standardWebhooks: { messageId: CALL.messageId, secrets: SECRETS, nowMs: Date.now() },
  });

let server: Server;
let url: string;
let receipts: Receipt[];
let options: ReceiveOptions;

beforeAll(async () => {
  server = createServer((request, response) => {
    receiveCall(request, options).then((receipt) => {
      receipts.push(receipt);
      response.writeHead(receipt.ok ? 204 : receipt.status, { connection: "close" }).end();
    }, response.destroy);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  receipts = [];
  options = { secrets: SECRETS, scheme: "both" };
});

async function post(body: Buffer, headers: Record<string, string> = headersFor(body)): Promise<number> {
  const response = await fetch(url, { method: "POST", headers, body: new Uint8Array(body) });
  return response.status;
}

describe("a request at node's server", () => {
  test("with Hookline's headers gives the call and the exact bytes", async () => {
    expect(await post(BODY)).toBe(204);
    expect(receipts).toEqual([{ ok: true, call: CALL, body: BODY }]);
  });

  test.each([
    ["x-signature", "webhook-signature"],
    ["standard-webhooks", "x-signature"],
  ] as const)("under the scheme %s needs no %s", async (scheme, surplus) => {
    options = { secrets: SECRETS, scheme };
    const headers = Object.entries(headersFor(BODY)).filter(([name]) => name.toLowerCase() !== surplus);
    expect(await post(BODY, Object.fromEntries(headers))).toBe(204);
  });

  test.each([
    ["x-signature", "X-Signature", "signature_missing"],
    ["standard-webhooks", "webhook-signature", "header_missing"],
    ["both", "X-Signature", "signature_missing"],
    ["both", "webhook-signature", "header_missing"],
  ] as const)("under the scheme %s is refused without %s", async (scheme, missing, reason) => {
    options = { secrets: SECRETS, scheme };
    const headers = Object.entries(headersFor(BODY)).filter(([name]) => name !== missing);
    expect(await post(BODY, Object.fromEntries(headers))).toBe(401);
    expect(receipts).toEqual([{ ok: false, status: 401, reason }]);
  });

  test("with a body changed on the way is refused", async () => {
    expect(await post(Buffer.from('{"type":"track"}'), headersFor(BODY))).toBe(401);
    expect(receipts).toEqual([{ ok: false, status: 401, reason: "signature_wrong" }]);
  });

  test("that is signed but no call is refused", async () => {
    for (const text of ["", "no JSON", "null", "[]", '{"type":1}']) {
      expect(await post(Buffer.from(text))).toBe(400);
    }
    expect(new Set(receipts.map((receipt) => !receipt.ok && receipt.reason))).toEqual(
      new Set(["body_not_a_call"]),
    );
  });

  test("is read to the bound and not beyond, and still gets its answer", async () => {
    options = { secrets: SECRETS, maxBytes: BODY.length };
    expect(await post(BODY)).toBe(204);
    options = { secrets: SECRETS, maxBytes: BODY.length - 1 };
    expect(await post(BODY)).toBe(413);
    expect(receipts.at(-1)).toEqual({ ok: false, status: 413, reason: "body_too_large" });
  });

  test("that its sender breaks off ends as incomplete", async () => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write("POST /hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf", () => socket.destroy());
    await until(() => receipts.length > 0, { timeoutMs: 20_000, what: "the receipt" });
    expect(receipts).toEqual([{ ok: false, status: 408, reason: "body_incomplete" }]);
  });
});

describe("a request of fetch", () => {
  const request = (body: Buffer | null) =>
    new Request("http://receiver.test/", {
      method: "POST",
      headers: headersFor(BODY),
      ...(body !== null && { body: new Uint8Array(body) }),
    });

  test("gives its call", async () => {
    expect(await receiveCall(request(BODY), options)).toEqual({ ok: true, call: CALL, body: BODY });
  });

  test("without a body is refused as wrongly signed", async () => {
    expect(await receiveCall(request(null), options)).toMatchObject({
      status: 401,
      reason: "signature_wrong",
    });
  });

  test("is copied as it comes: a body in single bytes holds no chunk of them", async () => {
    const chunk = new Uint8Array(1);
    async function* singleBytes() {
      for (const byte of BODY) {
        // The same bytes of memory again: whoever keeps the chunk has this in its place.
        chunk[0] = byte;
        yield chunk;
      }
    }
    const received = await receiveCall({ headers: headersFor(BODY), body: singleBytes() }, options);
    expect(received).toEqual({ ok: true, call: CALL, body: BODY });
  });

  test("whose body was read before is refused, not thrown at", async () => {
    const used = request(BODY);
    await used.text();
    expect(await receiveCall(used, options)).toMatchObject({ ok: false, reason: "body_incomplete" });
  });
});
