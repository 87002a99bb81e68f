import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { SecretError } from "./errors.ts";

/** AES-256 takes keys of exactly this size. */
const KEY_BYTES = 32;

export interface EncryptionKey {
  /** Stored with everything that the key encrypted, so that it is found again after a rotation. */
  readonly id: string;
  readonly key: Buffer;
}

/** As it is stored: the record EncryptedSecret of the topic map. */
export interface EncryptedSecret {
  readonly keyId: string;
  /** 12 bytes nonce, the ciphertext, 16 bytes tag. */
  readonly ciphertext: Buffer;
}

/** Encrypts secrets at rest (contract 6.3). */
export interface SecretBox {
  /**
   * `context` says where the secret belongs (`destination:<id>`); it is authenticated, not stored, and has to be given
   * again: a ciphertext copied to another place does not decrypt there.
   */
  encrypt(plaintext: string, context: string): EncryptedSecret;
  /** Throws a SecretError. */
  decrypt(secret: EncryptedSecret, context: string): string;
  /** The secret encrypted with the first key, which ends a rotation; unchanged when it is already, or its key is gone. */
  renew(secret: EncryptedSecret, context: string): EncryptedSecret;
}

/** Context of everything that is encrypted in one destination's configuration. */
export function destinationContext(destinationId: string): string {
  return `destination:${destinationId}`;
}

const CIPHER = "aes-256-gcm";
/** A random nonce may repeat after 2^32 encryptions with one key; configuration changes stay far below. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The first key encrypts, all of them decrypt: rotation is a new key in front, the old one kept behind it. */
export function createSecretBox({ keys }: { readonly keys: readonly EncryptionKey[] }): SecretBox {
  const [first] = keys;
  if (first === undefined) throw new SecretError("bad_keys", "no encryption key is given");
  for (const { id, key } of keys) {
    if (key.length !== KEY_BYTES) {
      throw new SecretError("bad_keys", `key ${id} has ${key.length} bytes, not ${KEY_BYTES}`);
    }
  }
  const byId = new Map(keys.map(({ id, key }) => [id, key]));
  const box: SecretBox = {
    encrypt: (plaintext, context) => encrypt(first, plaintext, context),
    renew: (secret, context) =>
      secret.keyId === first.id || !byId.has(secret.keyId)
        ? secret
        : box.encrypt(box.decrypt(secret, context), context),
    decrypt(secret, context) {
      const key = byId.get(secret.keyId);
      if (key === undefined) {
        throw new SecretError("unknown_key", `no encryption key with the id ${secret.keyId} is configured`);
      }
      return decrypt(key, secret, context);
    },
  };
  return box;
}

function encrypt({ id, key }: EncryptionKey, plaintext: string, context: string): EncryptedSecret {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context));
  const body = [cipher.update(plaintext, "utf8"), cipher.final()];
  return { keyId: id, ciphertext: Buffer.concat([nonce, ...body, cipher.getAuthTag()]) };
}

function decrypt(key: Buffer, { keyId, ciphertext }: EncryptedSecret, context: string): string {
  if (ciphertext.length < NONCE_BYTES + TAG_BYTES) throw tampered(keyId, context);
  const tagStart = ciphertext.length - TAG_BYTES;
  const nonce = ciphertext.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(context));
  decipher.setAuthTag(ciphertext.subarray(tagStart));
  const start = decipher.update(ciphertext.subarray(NONCE_BYTES, tagStart));
  try {
    return Buffer.concat([start, decipher.final()]).toString("utf8");
  } catch {
    // The cause says no more than that the tag differs.
    throw tampered(keyId, context);
  }
}

function tampered(keyId: string, context: string): SecretError {
  const message = `the secret of ${context} does not decrypt with key ${keyId}: it was changed, moved or encrypted with another key`;
  return new SecretError("tampered", message);
}
