export type { EncryptedSecret, SecretBox } from "./box.ts";
export { createSecretBox, destinationContext } from "./box.ts";
export type { SecretErrorCode } from "./errors.ts";
export { SecretError } from "./errors.ts";
export type { EncryptionKey } from "./keys.ts";
export { parseKeyList } from "./keys.ts";
