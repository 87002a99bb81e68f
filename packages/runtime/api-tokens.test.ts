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
const NO_DIGEST = "has a SHA-256 without a name and scopes, or one that is not 64 hex digits";
const NO_NAME =
  "has a colon, but is not <name>:<scopes>:<token> with scopes of read, write and replay, joined by +";

test.each([
  ["ci:read:short", NO_TOKEN],
  ["short", NO_TOKEN],
  [DIGEST, NO_DIGEST],
  [`ci:read:${DIGEST.slice(0, -1)}`, NO_DIGEST],
  [`ci:read:${DIGEST.replace("-", ":")}`, NO_DIGEST],
  [`sha-256=${DIGEST.slice(7)}`, NO_DIGEST],
  [`ci:raed:${DIGEST}`, NO_NAME],
  ["ci:read+wirte:0123456789abcdef", NO_NAME],
  ["ci:0123456789abcdef", NO_NAME],
  ["ci::0123456789abcdef", NO_NAME],
])("%p is refused, with what is wrong with it", (text, problem) => {
  expect(read(text)).toMatchObject({
    problems: [{ env: "HOOKLINE_API_TOKENS", problem: expect.stringContaining(problem) }],
  });
});

test("two tokens of one name are refused: the audit log could not tell them apart", () => {
  expect(read("ci:read:0123456789abcdef,ci:write:fedcba9876543210")).toMatchObject({
    problems: [{ problem: "has the name ci twice" }],
  });
});
