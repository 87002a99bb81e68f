import { createHash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { apiTokenSettings } from "./api-tokens.ts";

const read = (text: string) =>
  apiTokenSettings.read({ processName: "control", environment: { HOOKLINE_API_TOKENS: text } });

function tokensOf(text: string) {
  const reading = read(text);
  if (!("value" in reading)) throw new Error(JSON.stringify(reading.problems));
  return reading.value.tokens;
}

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

test("a token has a name and scopes, and is given itself or as its hash", () => {
  const [plain, hashed] = tokensOf(
    `ci:write+read:0123456789abcdef:x, grafana:read:sha256-${sha256("another-token-0123")}`,
  );
  expect(plain).toMatchObject({ name: "ci", scopes: ["read", "write"], text: "0123456789abcdef:x" });
  expect(plain?.digest.toString("hex")).toBe(sha256("0123456789abcdef:x"));
  expect(hashed).toMatchObject({ name: "grafana", scopes: ["read"], text: undefined });
  expect(hashed?.digest.toString("hex")).toBe(sha256("another-token-0123"));
});

test("a token alone may do everything, and is named by the beginning of its hash", () => {
  const token = "a-token-of-before-0123456";
  expect(tokensOf(token)).toMatchObject([
    { name: `unnamed-${sha256(token).slice(0, 6)}`, scopes: ["read", "write", "replay"], text: token },
  ]);
});

const DIGEST = `sha256-${sha256("another-token-0123")}`;
const NO_TOKEN = "has no token of at least 16 printable characters";
const HEX = DIGEST.slice("sha256-".length);
const BASE64 = Buffer.from(HEX, "hex").toString("base64");
const NO_DIGEST = "begins as a digest does, but is not <name>:<scopes>:sha256-<64 hex digits>";
const NO_NAME =
  "has a colon, but is not <name>:<scopes>:<token> with scopes of read, write and replay, joined by +";

test.each([
  ["ci:read:short", NO_TOKEN],
  ["short", NO_TOKEN],
  [DIGEST, NO_DIGEST],
  [`ci:read:${DIGEST.slice(0, -1)}`, NO_DIGEST],
  [`ci:read:${DIGEST.replace("-", ":")}`, NO_DIGEST],
  [`sha-256=${HEX}`, NO_DIGEST],
  [`ci:read:sha256_${HEX}`, NO_DIGEST],
  [`ci:read:SHA_256.${HEX}`, NO_DIGEST],
  [`ci:read:"${DIGEST}"`, NO_DIGEST],
  [`ci:read:sha256-${BASE64}`, NO_DIGEST],
  [`ci:read:sha256${HEX}`, NO_DIGEST],
  [`ci:read:{SHA256}${BASE64}`, NO_DIGEST],
  [`ci:read:$5$rounds=5000$${BASE64}`, NO_DIGEST],
  [`ci:read:$argon2id$v=19$m=65536$${BASE64}`, NO_DIGEST],
  [`ci:read:sha512-${HEX}${HEX}`, NO_DIGEST],
  [`sha512-${HEX}${HEX}`, NO_DIGEST],
  [`ci:read:sha512/256:${HEX}`, NO_DIGEST],
  [`ci:read:sha3-256-${HEX}`, NO_DIGEST],
  [`ci:read:sha1-${HEX.slice(0, 40)}`, NO_DIGEST],
  [`ci:read:md5:${HEX.slice(0, 32)}`, NO_DIGEST],
  [`ci:read:blake2b_${HEX}${HEX}`, NO_DIGEST],
  [`ci:read:blake3-${HEX}`, NO_DIGEST],
  [`ci:raed:${DIGEST}`, NO_NAME],
  ["ci:read+wirte:0123456789abcdef", NO_NAME],
  ["ci:0123456789abcdef", NO_NAME],
  ["ci::0123456789abcdef", NO_NAME],
])("%p is refused, with what is wrong with it", (text, problem) => {
  expect(read(text)).toMatchObject({
    problems: [{ env: "HOOKLINE_API_TOKENS", problem: expect.stringContaining(problem) }],
  });
});

test.each([
  HEX,
  BASE64,
  `shark-${HEX}`,
  `md-x${HEX}`,
  `sha-la-la-${HEX}`,

  "sha512sum-of-it-all",
])("%p is a token by its text", (token) => {
  expect(tokensOf(`ci:read:${token}`)).toMatchObject([{ name: "ci", text: token }]);
});

test("a digest may be in capitals", () => {
  const [token] = tokensOf(`ci:read:${DIGEST.toUpperCase()}`);
  expect(token?.text).toBeUndefined();
  expect(token?.digest.toString("hex")).toBe(HEX);
});

test("two tokens of one name are refused: the audit log could not tell them apart", () => {
  expect(read("ci:read:0123456789abcdef,ci:write:fedcba9876543210")).toMatchObject({
    problems: [{ problem: "has the name ci twice" }],
  });
});
