// Rules for the webhooks of a destination (contract 2.8, 3.1, 4.2): every wrong field is named at once.
import { MAX_WEBHOOKS } from "./limits.ts";

export interface Problem {
  /** The field, as a caller would write it: `webhooks[1].headers.Host`. */
  readonly path: string;
  readonly message: string;
}

export interface WebhookSettings {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Lower-case names that static headers cannot use: the product or HTTP itself sets them (contract 2.8). */
export const FORBIDDEN_HEADERS: ReadonlySet<string> = new Set([
  "user-agent",
  "content-type",
  "content-length",
  "host",
  "x-signature",
  "connection",
  "transfer-encoding",
  // Belong to the connection, not to the request (RFC 9110, 7.6.1); the HTTP client refuses them at every attempt.
  "expect",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "upgrade",
  // Reserved for the optional Standard Webhooks headers (contract 2.3).
  "webhook-id",
  "webhook-timestamp",
  "webhook-signature",
]);

const MAX_URL_CHARACTERS = 2_048;
const MAX_HEADERS = 50;
/** The number of headers that are read of a body that has far more. */
const MAX_READ_HEADERS = 200;
const MAX_HEADER_NAME_CHARACTERS = 256;
const MAX_HEADER_VALUE_CHARACTERS = 4_096;

/** RFC 9110, 5.6.2: token. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, blanks and tabs inside: what arrives the same everywhere. An empty value is allowed. */
const HEADER_VALUE = /^(?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?$/;
const HTTP_URL = /^https?:\/\/[^/]/i;
/** URL's parser drops, turns or encodes these silently, so the URL called would not be the one written down. */
const REWRITTEN = /[\s\\\p{Cc}\p{Cf}]/u;
/** A user name and password in a URL; also an empty user name, which the parsed URL no longer shows. */
const USERINFO = /^[^:]+:\/\/[^/?#]*@/;

/** The problem of one URL, or undefined (contract 4.2). */
export function urlProblem(url: string): string | undefined {
  if (url.length > MAX_URL_CHARACTERS) return `must have at most ${MAX_URL_CHARACTERS} characters`;
  if (REWRITTEN.test(url)) return "must not contain blanks, backslashes, control or invisible characters";
  if (!HTTP_URL.test(url)) return "must be a full URL beginning with http:// or https://";
  if (!URL.canParse(url)) return "must be a valid URL";
  if (USERINFO.test(url)) return "must not contain credentials; use a header instead";
  return undefined;
}

function headerProblem(name: string, value: string): string | undefined {
  if (name.length > MAX_HEADER_NAME_CHARACTERS || !HEADER_NAME.test(name))
    return "is not a valid header name";
  if (FORBIDDEN_HEADERS.has(name.toLowerCase())) return "is set by Hookline and cannot be overridden";
  if (value.length > MAX_HEADER_VALUE_CHARACTERS) {
    return `must have a value of at most ${MAX_HEADER_VALUE_CHARACTERS} characters`;
  }
  if (!HEADER_VALUE.test(value)) return "must have a value of printable ASCII without blanks at its ends";
  return undefined;
}

/**
 * The problems of static headers (contract 2.8). Values never appear in a message: they may be secrets (6.3).
 */
export function headerProblems(headers: Readonly<Record<string, string>>, path: string): Problem[] {
  const problems: Problem[] = [];
  const names = Object.keys(headers);
  if (names.length > MAX_HEADERS)
    problems.push({ path, message: `must have at most ${MAX_HEADERS} entries` });
  const seen = new Set<string>();
  for (const name of names.slice(0, MAX_READ_HEADERS)) {
    const message = seen.has(name.toLowerCase())
      ? "is given twice; header names ignore case"
      : headerProblem(name, headers[name] ?? "");
    if (message !== undefined) problems.push({ path: `${path}.${name}`, message });
    seen.add(name.toLowerCase());
  }
  return problems;
}

/** The problems of the webhooks of one destination; empty when there are none. */
export function webhookProblems(webhooks: readonly WebhookSettings[], path: string = "webhooks"): Problem[] {
  const problems: Problem[] = [];
  if (webhooks.length < 1 || webhooks.length > MAX_WEBHOOKS) {
    problems.push({ path, message: `must have 1 to ${MAX_WEBHOOKS} entries` });
  }
  const seen = new Set<string>();
  webhooks.forEach(({ url, headers }, index) => {
    const message =
      urlProblem(url) ?? (seen.has(new URL(url).href) ? "is the same as another webhook's" : undefined);
    if (message !== undefined) problems.push({ path: `${path}[${index}].url`, message });
    else seen.add(new URL(url).href);
    problems.push(...headerProblems(headers ?? {}, `${path}[${index}].headers`));
  });
  return problems;
}
