import type { RequestFailure } from "#contract";
import { tlsWords } from "./tls-words.ts";

/** Refused by our own rule before anything was sent (contract 6.1). */
export class BlockedAddressError extends Error {
  readonly code = "BLOCKED_ADDRESS";
}

/** A host name without a single address. */
export class NoAddressError extends Error {
  readonly code = "ENODATA";
}

/** A host name that nobody could tell the addresses of; `reason` is the system's code for it. */
export class NameError extends Error {
  readonly code = "NAME_NOT_RESOLVED";

  constructor(hostname: string, reason: string) {
    super(`${hostname} cannot be resolved (${reason})`);
  }
}

/** A certificate that vouches for itself, hidden behind another defect of it. */
export class SelfSignedError extends Error {
  readonly code = "DEPTH_ZERO_SELF_SIGNED_CERT";

  constructor(defect: string) {
    super(`self-signed certificate (${defect})`);
  }
}

/** Contract 2.7: the two codes with which OpenSSL names a certificate that vouches for itself. */
const SELF_SIGNED_CODES = new Set(["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN"]);

/** OpenSSL's verification results, which have no common prefix (node: src/crypto/crypto_common.cc). */
const CERTIFICATE_CODES = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_GET_CRL",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_DECRYPT_CRL_SIGNATURE",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "CERT_SIGNATURE_FAILURE",
  "CRL_SIGNATURE_FAILURE",
  "CERT_NOT_YET_VALID",
  "CERT_HAS_EXPIRED",
  "CRL_NOT_YET_VALID",
  "CRL_HAS_EXPIRED",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "ERROR_IN_CRL_LAST_UPDATE_FIELD",
  "ERROR_IN_CRL_NEXT_UPDATE_FIELD",
  "CERT_CHAIN_TOO_LONG",
  "CERT_REVOKED",
  "INVALID_CA",
  "PATH_LENGTH_EXCEEDED",
  "INVALID_PURPOSE",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "HOSTNAME_MISMATCH",
]);

const DNS_CODES = new Set([
  "NAME_NOT_RESOLVED",
  "ENOTFOUND",
  "ENODATA",
  "EAI_AGAIN",
  "EAI_FAIL",
  "EAI_NODATA",
  "EAI_NONAME",
]);

/** The connection was there and ended before a response; UND_ERR_SOCKET is undici's "other side closed". */
const RESET_CODES = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"]);

/** The peer answered, but not with HTTP/1.1 that can be read. */
const INVALID_RESPONSE_CODES = new Set(["UND_ERR_HEADERS_OVERFLOW", "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"]);

/** undici gives a parser's error no code when it does not know the parser's number. */
const PARSER_ERROR = "HTTPParserError";

const TIMEOUT_CODES = new Set(["UND_ERR_CONNECT_TIMEOUT", "ETIMEDOUT"]);

/** Codes of arguments that undici refused: a URL or a header that configuration should have refused (contract 2.8, 4.2). */
const INVALID_REQUEST_CODES = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED", "ERR_INVALID_URL"]);

/** Reads a property by structure, not by class: an error may come from another realm. */
function textOf(error: unknown, property: "code" | "message" | "name"): string {
  const value =
    typeof error === "object" && error !== null ? (error as Record<string, unknown>)[property] : undefined;
  return typeof value === "string" ? value : "";
}

/**
 * Maps an error of the connection to the closed list of failures. An unknown one counts as `connect`: it is
 * retried.
 */
export function failureOf(error: unknown): RequestFailure {
  const code = textOf(error, "code");
  if (code === "BLOCKED_ADDRESS") return "blocked_address";
  if (SELF_SIGNED_CODES.has(code)) return "self_signed";
  if (CERTIFICATE_CODES.has(code) || /^(ERR_TLS_|ERR_SSL_|EPROTO$)/.test(code)) return "tls";
  if (DNS_CODES.has(code)) return "dns";
  if (RESET_CODES.has(code)) return "reset";
  if (TIMEOUT_CODES.has(code)) return "timeout";
  if (textOf(error, "name") === PARSER_ERROR || INVALID_RESPONSE_CODES.has(code)) return "invalid_response";
  if (INVALID_REQUEST_CODES.has(code)) return "invalid_request";
  return "connect";
}

/** Long enough for a reason, short enough for a log line; a certificate may name a thousand hosts. */
const MAX_MESSAGE_LENGTH = 200;

/** Advice of Node that is meant for the person who starts the process, not for a reader of attempts. */
const ADVICE_OF_NODE = "; if the root CA is installed locally, ";

/** Describes the error for people. */
export function messageOf(error: unknown): string {
  const code = textOf(error, "code");
  const text = tlsWords(code, textOf(error, "message") || code || "unknown error");
  const advice = text.indexOf(ADVICE_OF_NODE);
  return (advice < 0 ? text : text.slice(0, advice)).slice(0, MAX_MESSAGE_LENGTH);
}
