import { createSecretKey, type KeyObject } from "node:crypto";

/** The number of secrets that are in use at a time; a million destinations must not keep a million keys. */
const MAX_KEYS = 10_000;

/**
 * Makes the key of a secret once: with a new key each signature costs a fifth more (4.2 instead of 3.5 µs for SHA-1 over 700
 * bytes). The oldest key is dropped beyond the bound.
 */
export function createSigningKeys(keyBytes: (secret: string) => Buffer): (secret: string) => KeyObject {
  const keys = new Map<string, KeyObject>();
  return (secret) => {
    const known = keys.get(secret);
    if (known !== undefined) return known;
    const key = createSecretKey(keyBytes(secret));
    if (keys.size >= MAX_KEYS) keys.delete(keys.keys().next().value ?? "");
    keys.set(secret, key);
    return key;
  };
}
