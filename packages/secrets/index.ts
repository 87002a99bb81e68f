export type { EncryptedSecret, EncryptionKey, SecretBox } from "./box.ts";
export { createSecretBox } from "./box.ts";
export type { SecretErrorCode } from "./errors.ts";
export { SecretError } from "./errors.ts";
export type { Mask } from "./mask.ts";
export { bytesToMask, createMask, MASK } from "./mask.ts";
export type { SecretPlace } from "./place.ts";
export { createSigner, type Signer } from "./signer.ts";
export { secretsOfUrl } from "./url.ts";
