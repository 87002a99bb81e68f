import { createHash } from "node:crypto";

const BLOCK_BYTES = 64;

function sha1(...parts: readonly Buffer[]): Buffer {
  const hash = createHash("sha1");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/**
 * HMAC-SHA1 in lower-case hex, spelled out as RFC 2104 defines it: what a receiver computes that shares nothing with the
 * product's own implementation (contract 2.3).
 */
export function hmacSha1Hex(secret: string, body: Buffer): string {
  const given = Buffer.from(secret, "utf8");
  const key = Buffer.alloc(BLOCK_BYTES);
  (given.length > BLOCK_BYTES ? sha1(given) : given).copy(key);
  const inner = sha1(Buffer.from(key.map((byte) => byte ^ 0x36)), body);
  return sha1(Buffer.from(key.map((byte) => byte ^ 0x5c)), inner).toString("hex");
}
