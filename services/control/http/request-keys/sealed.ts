// What the records hold of bodies and answers, encrypted: an answer may have a write key, and the hash of a body confirms a guess of a secret in it.
import type { EncryptedSecret, SecretBox } from "#secrets";
import type { RequestKey } from "#topics";

/** What is repeated of an answer. */
export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The very text. */
  readonly body: string;
}

type Sealed = Pick<RequestKey, "keyId" | "ciphertext" | "format">;
type Box = Pick<SecretBox, "encrypt" | "decrypt">;

/** Of a record that says nothing more. */
export const NOTHING_SEALED: Sealed = { keyId: "", ciphertext: Buffer.alloc(0), format: 2 };

export function sealBody(box: Box, claim: string, bodyHash: string): EncryptedSecret {
  return box.encrypt(bodyHash, { claim, field: "body" });
}

/** Throws a SecretError. */
export function openBody(box: Box, { claim, keyId, ciphertext, format }: RequestKey): string {
  return box.decrypt({ keyId, ciphertext, format }, { claim, field: "body" });
}

export function sealAnswer(box: Box, claim: string, answer: KeptAnswer): EncryptedSecret {
  return box.encrypt(JSON.stringify(answer), { claim, field: "answer" });
}

/** Throws a SecretError. */
export function openAnswer(box: Box, { claim, keyId, ciphertext, format }: RequestKey): KeptAnswer {
  const text = box.decrypt({ keyId, ciphertext, format }, { claim, field: "answer" });
  return JSON.parse(text) as KeptAnswer;
}
