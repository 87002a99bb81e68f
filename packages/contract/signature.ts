import { createHmac } from "node:crypto";
import { createSigningKeys } from "./signing-keys.ts";

const keyOf = createSigningKeys((secret) => Buffer.from(secret, "utf8"));

/** `X-Signature`: lower-case hex HMAC-SHA1 over the exact bytes of the body (contract 2.3). */
export function signBody(secret: string, body: Buffer): string {
  return createHmac("sha1", keyOf(secret)).update(body).digest("hex");
}
