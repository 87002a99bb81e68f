/**
 * Credentials in a URL: from the slashes to the last @ before the path, since a password may hold an @
 * itself.
 */
const CREDENTIALS = /(:\/\/)[^\s/?#\\]*@/g;

/** A text in which no URL shows its user name and password any more: `http://***@registry/path`. */
export function maskCredentials(text: string): string {
  return text.includes("@") ? text.replace(CREDENTIALS, "$1***@") : text;
}
