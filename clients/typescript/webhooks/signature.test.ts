import { createHmac } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { signBody } from "../../../packages/contract/index.ts";
import { verifySignature } from "./index.ts";

/** The contract's vector (2.3). */
const BODY = '{"type":"delete","userId":"019mr8mf4r","timestamp":"2012-12-02T00:30:08.276Z"}';
const SIGNATURE = "ce8a59eb51054286f0df3eb0c27b1a1be7a96e59";

const refused = (reason: string) => ({ ok: false, reason });

describe("X-Signature (contract 2.3)", () => {
  test("of the contract's vector is valid for the text, the bytes and the body stringified again", () => {
    const again = JSON.stringify(JSON.parse(BODY));
    for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY), again]) {
      expect(verifySignature(body, SIGNATURE, "s3cr3t")).toEqual({ ok: true });
    }
    expect(verifySignature(BODY, SIGNATURE.toUpperCase(), "s3cr3t")).toEqual({ ok: true });
  });

  test("is valid under one of several secrets, wherever it stands", () => {
    for (const secrets of [["s3cr3t"], ["new", "s3cr3t"], ["s3cr3t", "old"], ["", "s3cr3t"]]) {
      expect(verifySignature(BODY, SIGNATURE, secrets)).toEqual({ ok: true });
    }
    expect(verifySignature(BODY, SIGNATURE, ["new", "old"])).toEqual(refused("signature_wrong"));
  });

  test("is the one that Hookline makes, whatever body and secret", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.string({ minLength: 1 }), (bytes, secret) => {
        const header = signBody(secret, Buffer.from(bytes));
        expect(verifySignature(bytes, header, ["other", secret])).toEqual({ ok: true });
      }),
    );
  });

  test("is wrong when a byte of the body, the secret or the signature is another", () => {
    const changed = `${SIGNATURE.slice(0, -1)}8`;
    expect(verifySignature(`${BODY} `, SIGNATURE, "s3cr3t")).toEqual(refused("signature_wrong"));
    expect(verifySignature(BODY, SIGNATURE, "s3cr3T")).toEqual(refused("signature_wrong"));
    expect(verifySignature(BODY, changed, "s3cr3t")).toEqual(refused("signature_wrong"));
  });

  test.each(["", undefined, null])("%j is a missing header", (header) => {
    expect(verifySignature(BODY, header, "s3cr3t")).toEqual(refused("signature_missing"));
  });

  test.each([
    "x",
    SIGNATURE.slice(1),
    `${SIGNATURE}0`,
    ` ${SIGNATURE}`,
    `${SIGNATURE}\n`,
    `sha1=${SIGNATURE}`,
    "g".repeat(40),
    `${SIGNATURE}, ${SIGNATURE}`,
  ])("%j is a malformed header", (header) => {
    expect(verifySignature(BODY, header, "s3cr3t")).toEqual(refused("signature_malformed"));
  });

  test("under an empty secret nothing is valid, though anybody could sign with it", () => {
    const header = createHmac("sha1", "").update(BODY).digest("hex");
    for (const secrets of ["", [], ["", ""]]) {
      expect(verifySignature(BODY, header, secrets)).toEqual(refused("no_secret"));
    }
  });

  test("a body that was parsed before it was verified is named as the mistake it is", () => {
    const parsed = JSON.parse(BODY) as string;
    expect(verifySignature(parsed, SIGNATURE, "s3cr3t")).toEqual(refused("body_not_raw"));
  });

  test("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.anything(), (body, header, secrets) => {
        const { ok } = verifySignature(body as string, header as string, secrets as string);
        expect(ok).toBe(false);
      }),
    );
  });
});
