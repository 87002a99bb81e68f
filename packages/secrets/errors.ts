/**
 * - bad_keys: the given keys cannot be used
 * - unknown_key: the secret was encrypted with a key that is not configured (any more)
 * - unknown_format: a later release wrote it
 * - tampered: the bytes, their key or their place are not those of the encryption
 */
export type SecretErrorCode = "bad_keys" | "unknown_key" | "unknown_format" | "tampered";

/** A fault of keys or ciphertexts. Its message never holds a key, a secret, or a part of one. */
export class SecretError extends Error {
  override readonly name = "SecretError";
  readonly code: SecretErrorCode;

  constructor(code: SecretErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
