// Signing in and out over HTTP, with routes of every kind beside; nothing else of control.
import { hash } from "node:crypto";
import { afterEach, expect, test } from "@jest/globals";
import type { ApiScope } from "#runtime";
import { createAuthorise } from "../auth.ts";
import { actorOf } from "../caller.ts";
import { serverOf } from "../fixtures/server.ts";
import { testSessions } from "../fixtures/sessions.ts";
import type { ControlApp } from "../server.ts";
import { addSessionRoutes } from "./routes.ts";

let app: ControlApp | undefined;
afterEach(() => app?.close());

const tokenOf = (name: string, ...scopes: ApiScope[]) => ({
  ...{ name, scopes },
  digest: hash("sha256", `token-${name}`, "buffer"),
});
const bearer = (name: string) => ({ authorization: `Bearer token-${name}` });

interface Asked {
  readonly method?: "GET" | "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
}

async function started(tokens = [tokenOf("ops", "read", "write"), tokenOf("dashboard", "read")]) {
  let nowMs = 0;
  const sessions = testSessions({ nowMs: () => nowMs });
  let authorise = createAuthorise(tokens, sessions);
  const server = await serverOf(
    [
      (routes) => {
        addSessionRoutes(routes, { sessions });
        routes.get("/thing", (request) => actorOf(request));
        routes.post("/thing", (request) => actorOf(request));
      },
    ],
    { authorise: (request) => authorise(request) },
  );
  app = server;
  const ask = async (url: string, { method = "GET", headers = {} }: Asked = {}) => {
    const host = "localhost:8090";
    const answer = await server.inject({ method, url, headers: { host, ...headers } });
    const body = answer.body === "" ? {} : answer.json();
    return { status: answer.statusCode, body, headers: answer.headers, cookies: answer.cookies };
  };
  const signIn = async (name: string) => {
    const answer = await ask("/v1/session", { method: "POST", headers: bearer(name) });
    const [cookie] = answer.cookies;
    return { ...answer, cookie: `${cookie?.name}=${cookie?.value}`, csrf: answer.body.session.csrfToken };
  };
  return {
    ask,
    signIn,
    pass: (durationMs: number) => {
      nowMs += durationMs;
    },
    setTokens: (changed: typeof tokens) => {
      authorise = createAuthorise(changed, sessions);
    },
  };
}

test("a browser signs in with a token, and is that token from then on", async () => {
  const { ask, signIn } = await started();
  const { body, cookie, csrf, headers, status } = await signIn("ops");
  const me = {
    ...{ name: "ops", scopes: ["read", "write"], signIn: "session" },
    session: { endsAt: "1970-01-01T12:00:00.000Z", csrfToken: csrf },
  };
  expect({ status, body }).toEqual({ status: 201, body: me });
  expect(headers["cache-control"]).toBe("no-store");
  expect((await ask("/v1/me", { headers: { cookie } })).body).toEqual(me);
  const write = await ask("/thing", { method: "POST", headers: { cookie, "x-csrf-token": csrf } });
  expect(write).toMatchObject({ status: 200, body: { token: "ops", requestId: "made" } });
});

test("a write by the cookie needs the session's CSRF token, a read does not", async () => {
  const { ask, signIn } = await started();
  const { cookie } = await signIn("ops");
  const { csrf: another } = await signIn("ops");
  expect((await ask("/thing", { headers: { cookie } })).status).toBe(200);
  for (const more of [{}, { "x-csrf-token": "1" }, { "x-csrf-token": another }]) {
    const refused = await ask("/thing", { method: "POST", headers: { cookie, ...more } });
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toContain("needs the header X-CSRF-Token");
  }
  expect((await ask("/v1/session", { method: "DELETE", headers: { cookie } })).status).toBe(403);
});

test.each([
  ["cross-site", 403],
  ["same-site", 403],
  ["same-origin", 200],
  ["none", 200],
])(
  "a cookie that a page of another place sends along is refused: Sec-Fetch-Site %s is %d",
  async (site, status) => {
    const { ask, signIn } = await started();
    const { cookie } = await signIn("ops");
    expect((await ask("/thing", { headers: { cookie, "sec-fetch-site": site } })).status).toBe(status);
  },
);

test("a session has the scopes that its token has now, and ends with it", async () => {
  const { ask, setTokens, signIn } = await started();
  const { cookie, csrf } = await signIn("ops");
  const write = () => ask("/thing", { method: "POST", headers: { cookie, "x-csrf-token": csrf } });
  setTokens([tokenOf("ops", "read")]);
  expect((await write()).body.detail).toBe("this needs the scope write, and the token ops has only read");
  setTokens([tokenOf("dashboard", "read")]);
  expect(await write()).toMatchObject({
    status: 401,
    body: { detail: "the session has ended: sign in again by POST /v1/session" },
  });
});

test("after twelve hours it is over, and does not begin another before", async () => {
  const { ask, pass, signIn } = await started();
  const { cookie, csrf } = await signIn("ops");
  const headers = { cookie, "x-csrf-token": csrf };
  pass(12 * 3_600_000 - 1);
  expect((await ask("/v1/session", { method: "POST", headers })).status).toBe(403);
  expect((await ask("/v1/me", { headers })).status).toBe(200);
  pass(1);
  expect((await ask("/v1/me", { headers })).status).toBe(401);
});

test("signing out takes the cookie back; a copy of it goes on, as api.md says", async () => {
  const { ask, signIn } = await started();
  const { cookie, csrf } = await signIn("dashboard");
  const out = await ask("/v1/session", { method: "DELETE", headers: { cookie, "x-csrf-token": csrf } });
  expect(out.status).toBe(204);
  expect(out.cookies.map(({ name, maxAge }) => [name, maxAge])).toEqual([
    ["hookline-session", 0],
    ["__Host-hookline-session", 0],
  ]);
  expect((await ask("/v1/me", { headers: { cookie } })).status).toBe(200);
});

test("a token beside the cookie counts, and a password for a proxy does not", async () => {
  const { ask, signIn } = await started();
  const { cookie } = await signIn("ops");
  const both = await ask("/v1/me", { headers: { cookie, ...bearer("dashboard") } });
  expect(both.body).toEqual({ name: "dashboard", scopes: ["read"], signIn: "token", session: null });
  expect((await ask("/v1/me", { headers: { cookie, authorization: "Bearer wrong" } })).status).toBe(401);
  const proxied = await ask("/v1/me", { headers: { cookie, authorization: "Basic dTpw" } });
  expect(proxied.body.signIn).toBe("session");
});

test("without tokens nobody signs in, and GET /v1/me says so", async () => {
  const { ask } = await started([]);
  expect((await ask("/v1/me")).body).toEqual({
    ...{ name: "local", scopes: ["read", "write", "replay"], signIn: "none", session: null },
  });
  expect((await ask("/v1/session", { method: "POST" })).status).toBe(409);
  expect((await ask("/v1/session", { method: "DELETE" })).status).toBe(204);
});
