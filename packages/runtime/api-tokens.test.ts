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
  const token = "token:of:before-0123456";
  expect(tokensOf(token)).toMatchObject([
    { name: `unnamed-${sha256(token).slice(0, 6)}`, scopes: ["read", "write", "replay"], text: token },
  ]);
});

test.each(["ci:read:short", "short", "ci:admin:x", `sha256-${"0".repeat(4)}`])("%p is refused", (text) => {
  expect(read(text)).toMatchObject({ problems: [{ env: "HOOKLINE_API_TOKENS" }] });
});

test("two tokens of one name are refused: the audit log could not tell them apart", () => {
  expect(read("ci:read:0123456789abcdef,ci:write:fedcba9876543210")).toMatchObject({
    problems: [{ problem: "has the name ci twice" }],
  });
});
