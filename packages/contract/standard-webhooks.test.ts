import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { deliveryHeaders, standardWebhookHeaders, webhookId } from "./index.ts";

/** A test vector of the specification's own libraries. */
const VECTOR = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  messageId: "msg_p5jXN8AQM9LWM0D4loKWxJek",
  timestampSeconds: 1_614_265_330,
  body: Buffer.from('{"test": 2432232314}'),
  signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
};

/** HMAC-SHA256 of `m.1.{}` as openssl computes it: printf 'm.1.{}' | openssl dgst -sha256 -hmac <secret> -binary | base64 */
const PLAIN_SECRET_SIGNATURE = "v1,dVitpcon0KR6Jbkm4JHyRI3cOVabO2iZBchv+3mPDmg=";

describe("Standard Webhooks headers (contract 2.3)", () => {
  test("are those of the specification's test vector", () => {
    expect(standardWebhookHeaders({ ...VECTOR, secrets: [VECTOR.secret] })).toEqual({
      "webhook-id": VECTOR.messageId,
      "webhook-timestamp": "1614265330",
      "webhook-signature": VECTOR.signature,
    });
  });

  test("a secret without whsec_ signs with its UTF-8 bytes", () => {
    const parts = { secrets: ["s3cr3t"], messageId: "m", timestampSeconds: 1, body: Buffer.from("{}") };
    expect(standardWebhookHeaders(parts)["webhook-signature"]).toBe(PLAIN_SECRET_SIGNATURE);
  });

  test("during a rotation both secrets sign, the current one first", () => {
    const headers = standardWebhookHeaders({ ...VECTOR, secrets: ["new", VECTOR.secret] });
    const alone = standardWebhookHeaders({ ...VECTOR, secrets: ["new"] });
    expect(headers["webhook-signature"]).toBe(`${alone["webhook-signature"]} ${VECTOR.signature}`);
  });

  test("without a secret the request says its id and time, and is not signed", () => {
    expect(Object.keys(standardWebhookHeaders({ ...VECTOR, secrets: [] }))).toEqual([
      "webhook-id",
      "webhook-timestamp",
    ]);
  });
});

describe("webhook-id", () => {
  test.each(["node-next-1700000000000-6d0f", "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", "a:b/c~d!", "-"])(
    "is the messageId %j itself",
    (messageId) => expect(webhookId(messageId)).toBe(messageId),
  );

  test.each([
    ["a.1614265330", "a%2E1614265330"],
    ["50%", "50%25"],
    ["line\r\nEvil: 1", "line%0D%0AEvil%3A%201"],
    ["Größe", "Gr%C3%B6%C3%9Fe"],
  ])("of %j is %s", (messageId, id) => expect(webhookId(messageId)).toBe(id));

  test("fits into a header, has no full stop and gives the messageId back, whatever that is", () => {
    const codes = fc.array(fc.nat(0xffff), { minLength: 1, maxLength: 100 });
    fc.assert(
      fc.property(codes, (units) => {
        const messageId = String.fromCharCode(...units);
        const id = webhookId(messageId);
        expect(id).toMatch(/^[!-\-/-~]+$/);
        expect(decodeURIComponent(id)).toBe(messageId.toWellFormed());
      }),
    );
  });

  test("exists for text that is no Unicode", () => {
    expect(decodeURIComponent(webhookId("\ud800"))).toBe("�");
  });
});

describe("in the headers of a request", () => {
  const standardWebhooks = {
    messageId: VECTOR.messageId,
    secrets: [VECTOR.secret],
    nowMs: 1_614_265_330_999,
  };
  const options = { body: VECTOR.body, staticHeaders: {}, standardWebhooks };

  test("they stand beside X-Signature, which the current secret makes", () => {
    const sharedSecret = VECTOR.secret;
    const plain = deliveryHeaders({ body: VECTOR.body, staticHeaders: {}, sharedSecret });
    expect(plain).toHaveProperty("X-Signature");
    expect(deliveryHeaders({ ...options, sharedSecret })).toEqual({
      ...plain,
      "webhook-id": VECTOR.messageId,
      "webhook-timestamp": "1614265330",
      "webhook-signature": VECTOR.signature,
    });
  });

  test("static headers never replace them", () => {
    const staticHeaders = { "webhook-id": "x", "webhook-timestamp": "1", "webhook-signature": "v1,x" };
    expect(deliveryHeaders({ ...options, staticHeaders })).toEqual(deliveryHeaders(options));
  });
});
