import { createHmac } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { standardWebhookHeaders } from "../../../packages/contract/index.ts";
import { type StandardWebhookFailure, verifyStandardWebhook } from "./index.ts";

/** Of the specification's own libraries. */
const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const BODY = '{"test": 2432232314}';
const SECONDS = 1_614_265_330;
const SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
const HEADERS = {
  "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
  "webhook-timestamp": String(SECONDS),
  "webhook-signature": SIGNATURE,
};
const NOW = { nowMs: SECONDS * 1_000 };

/** Every UTF-16 unit may occur, half characters too. */
const anyText = fc
  .array(fc.nat(0xffff), { minLength: 1, maxLength: 100 })
  .map((units) => String.fromCharCode(...units));

const refused = (reason: StandardWebhookFailure) => ({ ok: false, reason });
const accepted = { ok: true, messageId: HEADERS["webhook-id"], timestampSeconds: SECONDS };

describe("Standard Webhooks headers (contract 2.3)", () => {
  test("of the specification's vector are valid in every shape that headers have", () => {
    const shapes = [
      HEADERS,
      new Headers(HEADERS),
      Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name.toUpperCase(), value])),
      Object.assign(Object.create(null), HEADERS) as Record<string, string>,
    ];
    for (const headers of shapes) {
      expect(verifyStandardWebhook(BODY, headers, SECRET, NOW)).toEqual(accepted);
      expect(verifyStandardWebhook(Buffer.from(BODY), headers, ["x", SECRET], NOW)).toEqual(accepted);
    }
  });

  test("are those that Hookline makes, whatever messageId, body and secret, also while the secret changes", () => {
    const secret = fc.oneof(
      anyText,
      fc
        .uint8Array({ minLength: 24, maxLength: 64 })
        .map((key) => `whsec_${Buffer.from(key).toString("base64")}`),
    );
    fc.assert(
      fc.property(fc.uint8Array(), anyText, secret, secret, (bytes, id, current, old) => {
        const body = Buffer.from(bytes);
        const parts = { body, messageId: id, timestampSeconds: SECONDS, secrets: [current, old] };
        const headers = standardWebhookHeaders(parts);
        for (const secrets of [current, old, ["other", old]]) {
          const verified = { ok: true, messageId: id.toWellFormed(), timestampSeconds: SECONDS };
          expect(verifyStandardWebhook(body, headers, secrets, NOW)).toEqual(verified);
        }
      }),
    );
  });

  test.each([
    ["first", `${SIGNATURE} v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=`],
    ["last, beside versions unknown here", `v1a,abc v2,${SIGNATURE.slice(3)} v1,short ${SIGNATURE}`],
  ])("the matching signature may stand %s", (_where, signature) => {
    const headers = { ...HEADERS, "webhook-signature": signature };
    expect(verifyStandardWebhook(BODY, headers, SECRET, NOW)).toEqual(accepted);
  });

  test.each([
    ["another body", `${BODY} `, {}, SECRET],
    ["another id", BODY, { "webhook-id": "msg_x" }, SECRET],
    ["another time", BODY, { "webhook-timestamp": String(SECONDS + 1) }, SECRET],
    ["another spelling of the time", BODY, { "webhook-timestamp": `0${SECONDS}` }, SECRET],
    ["another secret", BODY, {}, "whsec_AAAA"],
    ["the secret's own text as key", BODY, {}, SECRET.slice("whsec_".length)],
  ])("%s makes the signature wrong", (_what, body, changes, secret) => {
    const verification = verifyStandardWebhook(body, { ...HEADERS, ...changes }, secret, NOW);
    expect(verification).toEqual(refused("signature_wrong"));
  });

  test.each(["webhook-id", "webhook-timestamp", "webhook-signature"])(
    "without %s there is nothing to verify",
    (name) => {
      for (const value of [undefined, "", ["a", "b"]]) {
        const headers = { ...HEADERS, [name]: value };
        expect(verifyStandardWebhook(BODY, headers, SECRET, NOW)).toEqual(refused("header_missing"));
      }
      const twice = { ...HEADERS, [name.toUpperCase()]: "x" };
      expect(verifyStandardWebhook(BODY, twice, SECRET, NOW)).toEqual(refused("header_missing"));
    },
  );

  test.each(["hello", "1614265330.5", "-1", " 1614265330", "1e9", "99999999999999999999"])(
    "the timestamp %j is malformed",
    (timestamp) => {
      const headers = { ...HEADERS, "webhook-timestamp": timestamp };
      expect(verifyStandardWebhook(BODY, headers, SECRET, NOW)).toEqual(refused("timestamp_malformed"));
    },
  );

  test.each([
    "v1,",
    "v1",
    "x",
    SIGNATURE.slice(3),
    SIGNATURE.slice(0, -1),
    `v2,${SIGNATURE.slice(3)}`,
    `${SIGNATURE}=`,
  ])("the signature %j is malformed", (signature) => {
    const headers = { ...HEADERS, "webhook-signature": signature };
    expect(verifyStandardWebhook(BODY, headers, SECRET, NOW)).toEqual(refused("signature_malformed"));
  });

  test("an authentic request is taken within the tolerance, on both sides, and not beyond", () => {
    const at = (seconds: number, toleranceSeconds?: number) =>
      verifyStandardWebhook(BODY, HEADERS, SECRET, {
        nowMs: (SECONDS + seconds) * 1_000,
        ...(toleranceSeconds !== undefined && { toleranceSeconds }),
      });
    for (const seconds of [-300, 300]) expect(at(seconds)).toEqual(accepted);
    expect(at(301)).toEqual(refused("too_old"));
    expect(at(-301)).toEqual(refused("too_new"));
    expect(at(11, 10)).toEqual(refused("too_old"));
    expect(at(1_000_000, Number.POSITIVE_INFINITY)).toEqual(accepted);
    expect(at(0, Number.NaN)).toMatchObject({ ok: false });
  });

  test("without options our own clock counts", () => {
    expect(verifyStandardWebhook(BODY, HEADERS, SECRET)).toEqual(refused("too_old"));
    const timestampSeconds = Math.floor(Date.now() / 1_000);
    const parts = { body: Buffer.from(BODY), messageId: "m", timestampSeconds, secrets: [SECRET] };
    expect(verifyStandardWebhook(BODY, standardWebhookHeaders(parts), SECRET)).toMatchObject({ ok: true });
  });

  test("under an empty secret nothing is valid, though anybody could sign with it", () => {
    const signed = `${HEADERS["webhook-id"]}.${SECONDS}.${BODY}`;
    const signature = createHmac("sha256", "").update(signed).digest("base64");
    const headers = { ...HEADERS, "webhook-signature": `v1,${signature}` };
    for (const secrets of ["", [], "whsec_", ["whsec_", ""]]) {
      expect(verifyStandardWebhook(BODY, headers, secrets, NOW)).toEqual(refused("no_secret"));
    }
  });

  test("a body that was parsed before it was verified is named as the mistake it is", () => {
    const parsed = JSON.parse(BODY) as string;
    expect(verifyStandardWebhook(parsed, HEADERS, SECRET, NOW)).toEqual(refused("body_not_raw"));
  });

  test("an id of another sender that looks escaped and is not stays as it is", () => {
    const id = "100%";
    const signature = createHmac("sha256", "k").update(`${id}.${SECONDS}.${BODY}`).digest("base64");
    const headers = { ...HEADERS, "webhook-id": id, "webhook-signature": `v1,${signature}` };
    expect(verifyStandardWebhook(BODY, headers, "k", NOW)).toMatchObject({ ok: true, messageId: id });
  });

  test("never throws, whatever it is given", () => {
    const headers = fc.oneof(
      fc.anything(),
      fc.record({
        "webhook-id": fc.anything(),
        "webhook-timestamp": fc.anything(),
        "webhook-signature": fc.anything(),
      }),
    );
    fc.assert(
      fc.property(fc.anything(), headers, fc.anything(), (body, given, secrets) => {
        const { ok } = verifyStandardWebhook(body as string, given as typeof HEADERS, secrets as string, NOW);
        expect(ok).toBe(false);
      }),
    );
  });
});
