// Signs texts that leave the process and come back, under keys that every process of a service has.
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import type { EncryptionKey } from "./box.ts";
import { SecretError } from "./errors.ts";

const HASH = "sha256";
const KEY_BYTES = 32;

export interface Signer {
  /** HMAC-SHA256, base64url, under the first key. */
  sign(text: string): string;
  /** Whether one of the keys gives this signature; takes as long whatever differs. */
  verifies(text: string, signature: string): boolean;
}

/**
 * Its keys are derived from the encryption keys (HKDF), so processes that share those verify each other's signatures, and a signature
 * says nothing about what the same key encrypts. One purpose's signatures are no other's.
 */
export function createSigner({ keys }: { readonly keys: readonly EncryptionKey[] }, purpose: string): Signer {
  const derived = keys.map(({ key }) =>
    Buffer.from(hkdfSync(HASH, key, "", `hookline-${purpose}`, KEY_BYTES)),
  );
  const [first] = derived;
  if (first === undefined) throw new SecretError("bad_keys", "no encryption key is given");
  const signed = (key: Buffer, text: string): Buffer => createHmac(HASH, key).update(text).digest();
  return {
    sign: (text) => signed(first, text).toString("base64url"),
    verifies(text, signature) {
      const given = Buffer.from(signature, "base64url");
      // All are compared, so the time says nothing about which one it was.
      const equal = derived.filter((key) => {
        const own = signed(key, text);
        return given.length === own.length && timingSafeEqual(given, own);
      });
      return equal.length > 0;
    },
  };
}
