import { createHmac, timingSafeEqual } from "node:crypto";

/** The destination's shared secret; several while it is being changed: the new and the old one. */
export type Secrets = string | readonly string[];

/** The exact bytes of the request, or their text. */
export type RawBody = Uint8Array | string;

/** Also answers for callers without types: a body that some parser has already turned into an object is not raw. */
export function isRawBody(body: unknown): body is RawBody {
  return typeof body === "string" || body instanceof Uint8Array;
}

/** Without empty ones: anybody can sign with an empty secret. */
export function secretList(secrets: Secrets): readonly string[] {
  const list: readonly unknown[] = Array.isArray(secrets) ? secrets : [secrets];
  return list.filter((secret): secret is string => typeof secret === "string" && secret !== "");
}

export interface Signing {
  readonly algorithm: "sha1" | "sha256";
  readonly keys: readonly Uint8Array[];
  /** Signed one after the other. */
  readonly parts: readonly RawBody[];
}

/**
 * Whether one of the given signatures was made with one of the keys. Every pair is compared, each in constant time, so
 * the time taken tells nothing about how close a forged signature came.
 */
export function isSigned({ algorithm, keys, parts }: Signing, given: readonly Uint8Array[]): boolean {
  let isValid = false;
  for (const key of keys) {
    const hmac = createHmac(algorithm, key);
    for (const part of parts) hmac.update(part);
    const expected = hmac.digest();
    for (const signature of given) {
      // timingSafeEqual throws for different lengths, and a length is no secret.
      if (signature.length === expected.length && timingSafeEqual(signature, expected)) isValid = true;
    }
  }
  return isValid;
}
