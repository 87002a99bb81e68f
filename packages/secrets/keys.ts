import { SecretError } from "./errors.ts";

/** AES-256 takes keys of exactly this size. */
export const KEY_BYTES = 32;

export interface EncryptionKey {
  /** Stored with everything it encrypted, so that it can be found again after a rotation. */
  readonly id: string;
  readonly key: Buffer;
}

const KEY_ID = /^[A-Za-z0-9._-]{1,64}$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Parses `id:base64,id:base64` (HOOKLINE_ENCRYPTION_KEYS): the first key encrypts, all of them decrypt. Throws a
 * SecretError that names every wrong entry by its position, never by its content: an entry without a colon may be a key.
 */
export function parseKeyList(list: string): readonly EncryptionKey[] {
  const entries = list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  if (entries.length === 0) throw new SecretError("bad_key_list", "no encryption key is given");
  const ids = new Set<string>();
  const problems: string[] = [];
  const keys: EncryptionKey[] = [];
  entries.forEach((entry, index) => {
    const parsed = parseEntry(entry, ids);
    if (typeof parsed === "string") problems.push(`key ${index + 1} ${parsed}`);
    else keys.push(parsed);
  });
  if (problems.length > 0) throw new SecretError("bad_key_list", problems.join("; "));
  return keys;
}

/** The key, or what is wrong with the entry. */
function parseEntry(entry: string, ids: Set<string>): EncryptionKey | string {
  const colon = entry.indexOf(":");
  if (colon < 0) return "is not written as id:base64";
  const id = entry.slice(0, colon);
  const encoded = entry.slice(colon + 1);
  if (!KEY_ID.test(id)) return "has an id that is not 1 to 64 letters, digits, dots, underscores or hyphens";
  if (ids.has(id)) return "has the id of an earlier key";
  ids.add(id);
  if (!BASE64.test(encoded)) return "is not base64";
  const key = Buffer.from(encoded, "base64");
  if (key.length !== KEY_BYTES) return `has ${key.length} bytes, not ${KEY_BYTES}`;
  return { id, key };
}
