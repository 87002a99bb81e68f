export type { EncryptedSecret, EncryptionKey, SecretBox } from "./box.ts";
export { createSecretBox, destinationContext } from "./box.ts";
export type { SecretErrorCode } from "./errors.ts";
export { SecretError } from "./errors.ts";
