// A new shared secret, as random as a signature's key has to be.

/** As long as the hash of the signature. */
const SECRET_BYTES = 32;

/** `whsec_` and base64 where receivers verify Standard Webhooks, else hexadecimal. */
export function newSecret(isStandard: boolean): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return isStandard
    ? `whsec_${btoa(String.fromCodePoint(...bytes))}`
    : Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
