import { hash, randomBytes } from "node:crypto";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { testSessions } from "./fixtures/sessions.ts";
import { SESSION_MS } from "./sessions.ts";

const tokenOf = (name: string, secret = name) => ({ name, digest: hash("sha256", secret, "buffer") });
const OPS = tokenOf("ops");

test("a session stands for its token in every process that has the encryption key", () => {
  const key = randomBytes(32);
  const { session, text } = testSessions({ key, nowMs: () => 5 }).begin(OPS);
  const other = testSessions({ key, nowMs: () => 6 });
  expect(other.read(text, [tokenOf("ci"), OPS])).toEqual({ session, token: OPS });
  expect(session.endsAtMs).toBe(5 + SESSION_MS);
  expect(testSessions().read(text, [OPS])).toBeUndefined();
});

test("it ends with its token, also when another gets the name, and follows the token's scopes", () => {
  const sessions = testSessions();
  const { text } = sessions.begin(OPS);
  expect(sessions.read(text, [])).toBeUndefined();
  expect(sessions.read(text, [tokenOf("ops", "another")])).toBeUndefined();
  expect(sessions.read(text, [tokenOf("other", "ops")])).toBeUndefined();
  const narrowed = { ...OPS, scopes: ["read"] };
  expect(sessions.read(text, [narrowed])?.token).toBe(narrowed);
});

test("a changed cookie is none, whatever is changed", () => {
  const sessions = testSessions();
  const { text } = sessions.begin(OPS);
  const [payload = "", signature] = text.split(".");
  const [name, id, endsAtMs] = JSON.parse(Buffer.from(payload, "base64url").toString());
  for (const said of [
    [name, id, endsAtMs + 1],
    [name, "other", endsAtMs],
    ["ci", id, endsAtMs],
    [name, id],
  ]) {
    const forged = Buffer.from(JSON.stringify(said)).toString("base64url");
    expect(sessions.read(`${forged}.${signature}`, [OPS, tokenOf("ci", "ops")])).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, two) => {
      expect(sessions.read(`${one}.${two}`, [OPS])).toBeUndefined();
      expect(sessions.read(one, [OPS])).toBeUndefined();
    }),
  );
});

test("the token against forged writes is the session's own, and no cookie", () => {
  const sessions = testSessions();
  const [one, other] = [sessions.begin(OPS), sessions.begin(OPS)];
  const csrfToken = sessions.csrfToken(one.session);
  expect(sessions.isCsrfToken(one.session, csrfToken)).toBe(true);
  expect(sessions.isCsrfToken(other.session, csrfToken)).toBe(false);
  const [payload] = one.text.split(".");
  expect(sessions.read(`${payload}.${csrfToken}`, [OPS])).toBeUndefined();
});
