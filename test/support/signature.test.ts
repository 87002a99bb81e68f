import { expect, test } from "@jest/globals";
import { hmacSha1Hex } from "./signature.ts";

test("the receivers' HMAC-SHA1 gives the contract's vector (2.3)", () => {
  const body = '{"type":"delete","userId":"019mr8mf4r","timestamp":"2012-12-02T00:30:08.276Z"}';
  expect(hmacSha1Hex("s3cr3t", Buffer.from(body))).toBe("ce8a59eb51054286f0df3eb0c27b1a1be7a96e59");
});

test("a secret longer than a block is hashed first (value from Python's hmac)", () => {
  expect(hmacSha1Hex("k".repeat(80), Buffer.from("long key"))).toBe(
    "a56e166e3e74c07d5867929de9f35d0741906f5f",
  );
});
