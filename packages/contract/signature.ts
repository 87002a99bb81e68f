import { createHmac } from "node:crypto";

/** `X-Signature`: lower-case hex HMAC-SHA1 over the exact bytes of the body (contract 2.3). */
export function signBody(secret: string, body: Buffer): string {
  return createHmac("sha1", secret).update(body).digest("hex");
}
