// Texts of TLS errors that say who has to mend what. OpenSSL's own text names its source files.

const NO_AUTHORITY =
  "the certificate's authority is not known: the endpoint has to send its intermediate certificates too, and the authority has to be a public one";
const NO_TLS = "the endpoint does not speak TLS on this port; is its URL http:// instead of https://?";
const NO_COMMON =
  "the endpoint refused the TLS handshake: no cipher in common, or it asks for a client certificate";
const OLD_VERSION = "no TLS version in common: the endpoint has to offer TLS 1.2 or later";

/** Texts by the code that Node gives the error. Other errors have a clear text already. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", NO_AUTHORITY],
  ["UNABLE_TO_GET_ISSUER_CERT", NO_AUTHORITY],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", NO_AUTHORITY],
  ["ERR_SSL_WRONG_VERSION_NUMBER", NO_TLS],
  ["ERR_SSL_PACKET_LENGTH_TOO_LONG", NO_TLS],
  ["ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", NO_COMMON],
  ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", NO_COMMON],
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", OLD_VERSION],
  ["ERR_SSL_UNSUPPORTED_PROTOCOL", OLD_VERSION],
  ["ERR_SSL_TLSV1_UNRECOGNIZED_NAME", "the endpoint has no certificate for this host name"],
  [
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    "the endpoint asks for a client certificate, and there is none",
  ],
]);

/** The error of a TLS connection for people; `text` itself where it is in words already. */
export function tlsWords(code: string, text: string): string {
  const words = WORDS.get(code);
  if (words !== undefined) return words;
  // OpenSSL's text is `80F6:error:0A000410:SSL routines:function:reason:file:line:…`.
  const [, kind, , , , reason] = text.split(":", 6);
  return kind === "error" && reason !== undefined ? `the TLS connection failed: ${reason}` : text;
}
