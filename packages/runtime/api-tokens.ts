// Tokens of the control API as settings give them (contract 6.4).
import { createHash } from "node:crypto";
import { readAgain } from "./read-again.ts";
import { setting } from "./setting.ts";
import { settingsGroup } from "./settings.ts";
import { listOf, type ValueType } from "./value-types.ts";

/** Scopes of a token: look, change, send dead letters again. None implies another. */
export const API_SCOPES = ["read", "write", "replay"] as const;
export type ApiScope = (typeof API_SCOPES)[number];

export interface ApiToken {
  /** The holder's name in the audit log. */
  readonly name: string;
  readonly scopes: readonly ApiScope[];
  /** SHA-256 of the token. */
  readonly digest: Buffer;
  /** Undefined where only the digest is configured. */
  readonly text: string | undefined;
}

const NAMED = /^([A-Za-z0-9_.-]{1,64}):((?:read|write|replay)(?:\+(?:read|write|replay)){0,2}):(\S+)$/;
const DIGEST = /^sha256-([0-9a-f]{64})$/i;
/**
 * Other notations of a digest, of any algorithm: `sha512-…`, `SHA_256:…`, `{SHA256}…`, in quotes; without a
 * separator; by crypt.
 */
const MEANT_AS_DIGEST = [
  /^[{"'[(]?(?:md-?[245]|sha[-_]?(?:[123]|224|256|384|512)|blake(?:2[bs]?|3)|ripemd[-_]?160)[-_:=./})\]]/i,
  /^(?:md5|sha1|sha256|sha512)[0-9a-f]{32,}$/i,
  /^\$[\w-]+\$/,
];
const TOKEN = /^[\x21-\x7e]{16,}$/;
const SHORT_CHARACTERS = 6;

const apiToken: ValueType<ApiToken> = {
  name: "name:scopes:token, name:scopes:sha256-<hex>, or a token alone",
  parse(given) {
    const [, name, scopes, secret = given] = NAMED.exec(given) ?? [];
    const [, hex] = (name === undefined ? null : DIGEST.exec(secret)) ?? [];
    const problem = hex === undefined ? problemOf(secret, name !== undefined) : undefined;
    if (problem !== undefined) return { ok: false, problem };
    const digest = hex === undefined ? sha256(secret) : Buffer.from(hex, "hex");
    return {
      ok: true,
      value: {
        name: name ?? `unnamed-${digest.toString("hex").slice(0, SHORT_CHARACTERS)}`,
        scopes:
          scopes === undefined ? API_SCOPES : API_SCOPES.filter((one) => scopes.split("+").includes(one)),
        digest,
        text: hex === undefined ? secret : undefined,
      },
    };
  },
};

/**
 * Explains why an entry is not a digest. An entry that was meant as a digest must not become a token by its
 * text, which is written in plain sight.
 */
function problemOf(secret: string, isNamed: boolean): string | undefined {
  if (MEANT_AS_DIGEST.some((pattern) => pattern.test(secret)))
    return "has a token that begins as a digest does, but is not <name>:<scopes>:sha256-<64 hex digits>";
  if (!isNamed && secret.includes(":"))
    return "has a colon, but is not <name>:<scopes>:<token> with scopes of read, write and replay, joined by +";
  return TOKEN.test(secret) ? undefined : "has no token of at least 16 printable characters";
}

function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

export const apiTokens = setting({
  env: "HOOKLINE_API_TOKENS",
  type: listOf(apiToken),
  default: "",
  secret: true,
  doc: "Bearer tokens of the control API, each with a name and scopes (read, write, replay, joined by +); a token alone may do everything. A file of them is followed while control runs. Without one it listens on loopback only. docs/use/api.md has examples.",
});

/** Control reads them again when their file changes. */
export const apiTokenSettings = readAgain(
  settingsGroup({
    title: "Control API",
    settings: { tokens: apiTokens },
    check({ tokens }) {
      const names = tokens.map(({ name }) => name);
      const twice = names.find((name, index) => names.indexOf(name) !== index);
      return twice === undefined
        ? []
        : [{ env: "HOOKLINE_API_TOKENS", problem: `has the name ${twice} twice` }];
    },
  }),
);
