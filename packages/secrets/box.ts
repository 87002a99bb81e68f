import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { SecretError } from "./errors.ts";
import { authenticatedData, describePlace, isSamePlace, SECRET_FORMAT, type SecretPlace } from "./place.ts";

/** AES-256 takes keys of exactly this size. */
const KEY_BYTES = 32;

export interface EncryptionKey {
  /** Stored with everything that the key encrypted, so that it is found again after a rotation. */
  readonly id: string;
  readonly key: Buffer;
}

/** The stored form: the record EncryptedSecret of the topic map. */
export interface EncryptedSecret {
  readonly keyId: string;
  /** 12 bytes nonce, the ciphertext, 16 bytes tag. */
  readonly ciphertext: Buffer;
  /** The format of the authenticated data: 1 or 2 (place.ts). */
  readonly format: number;
}

/** Encrypts secrets at rest (contract 6.3). */
export interface SecretBox {
  /** The place is authenticated, not stored, and has to be given again: a ciphertext copied elsewhere does not decrypt there. */
  encrypt(plaintext: string, place: SecretPlace): EncryptedSecret;
  /** Throws a SecretError. */
  decrypt(secret: EncryptedSecret, place: SecretPlace): string;
  /**
   * The secret in today's format under the first key, which ends a rotation; unchanged when it is so already, or its key is
   * gone. Throws a SecretError for one of this key that does not decrypt.
   */
  renew(secret: EncryptedSecret, place: SecretPlace): EncryptedSecret;
  /** The secret of one place, encrypted for another. Throws a SecretError when it does not decrypt. */
  move(secret: EncryptedSecret, from: SecretPlace, to: SecretPlace): EncryptedSecret;
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
  // As an object of the runtime once: a key in bytes is made one with each secret, which takes 15 of 20 µs.
  const byId = new Map(keys.map(({ id, key }) => [id, createSecretKey(key)]));
  const box: SecretBox = {
    encrypt: (plaintext, place) => encrypt(first, plaintext, place),
    renew(secret, place) {
      const isNew = secret.keyId === first.id && secret.format === SECRET_FORMAT;
      return isNew || !byId.has(secret.keyId) ? secret : box.encrypt(box.decrypt(secret, place), place);
    },
    move: (secret, from, to) =>
      isSamePlace(from, to) ? box.renew(secret, to) : box.encrypt(box.decrypt(secret, from), to),
    decrypt(secret, place) {
      const key = byId.get(secret.keyId);
      if (key === undefined) {
        throw new SecretError("unknown_key", `no encryption key with the id ${secret.keyId} is configured`);
      }
      return decrypt(key, secret, place);
    },
  };
  return box;
}

function encrypt({ id, key }: EncryptionKey, plaintext: string, place: SecretPlace): EncryptedSecret {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(dataOf(place, SECRET_FORMAT));
  const body = [cipher.update(plaintext, "utf8"), cipher.final()];
  const ciphertext = Buffer.concat([nonce, ...body, cipher.getAuthTag()]);
  return { keyId: id, ciphertext, format: SECRET_FORMAT };
}

function decrypt(key: KeyObject, secret: EncryptedSecret, place: SecretPlace): string {
  const { keyId, ciphertext, format } = secret;
  const data = dataOf(place, format);
  if (ciphertext.length < NONCE_BYTES + TAG_BYTES) throw tampered(keyId, place);
  const tagStart = ciphertext.length - TAG_BYTES;
  const nonce = ciphertext.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(data);
  decipher.setAuthTag(ciphertext.subarray(tagStart));
  const start = decipher.update(ciphertext.subarray(NONCE_BYTES, tagStart));
  try {
    return Buffer.concat([start, decipher.final()]).toString("utf8");
  } catch {
    // The cause says no more than that the tag differs.
    throw tampered(keyId, place);
  }
}

function dataOf(place: SecretPlace, format: number): Buffer {
  const data = authenticatedData(place, format);
  if (data !== undefined) return data;
  const message = `the secret in ${describePlace(place)} has the format ${format}, which this release does not know`;
  throw new SecretError("unknown_format", message);
}

function tampered(keyId: string, place: SecretPlace): SecretError {
  const where = describePlace(place);
  const message = `the secret in ${where} does not decrypt with key ${keyId}: it was changed, moved or encrypted with another key`;
  return new SecretError("tampered", message);
}
