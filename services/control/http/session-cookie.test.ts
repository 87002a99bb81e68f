import { expect, test } from "@jest/globals";
import { endedCookies, sessionCookie, sessionIn } from "./session-cookie.ts";

const PLAIN = "hookline-session=t; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200";
const SECURE = `__Host-${PLAIN}; Secure`;

test.each([
  ["on loopback", {}, PLAIN],
  ["of a page without TLS", { origin: "http://localhost:8090" }, PLAIN],
  ["of a page with TLS", { origin: "https://hooks.test" }, SECURE],
  ["behind a proxy that says so", { "x-forwarded-proto": "https" }, SECURE],
  ["behind two proxies", { "x-forwarded-proto": "HTTPS, http" }, SECURE],
  ["behind a proxy without TLS", { "x-forwarded-proto": "http" }, PLAIN],
])("the cookie %s", (_where, headers, cookie) => {
  expect(sessionCookie("t", headers)).toBe(cookie);
});

test.each([
  [undefined, {}, undefined],
  ["other=1", {}, undefined],
  ["a=1; hookline-session=t.s;b=2", {}, "t.s"],
  ["hookline-session=other; __Host-hookline-session=t.s", {}, "t.s"],
  ["hookline-session=", {}, undefined],
  // Another host of the site may have set it.
  ["hookline-session=t.s", { "x-forwarded-proto": "https" }, undefined],
  ["__Host-hookline-session=t.s", { "x-forwarded-proto": "https" }, "t.s"],
])("of the cookies %s with %j the session's is %s", (cookies, headers, text) => {
  expect(sessionIn(cookies, headers)).toBe(text);
});

test("it is taken back under both names", () => {
  expect(endedCookies()).toEqual([
    "hookline-session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
    "__Host-hookline-session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure",
  ]);
});
