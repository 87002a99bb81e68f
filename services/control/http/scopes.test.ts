import { hash } from "node:crypto";
import { afterEach, expect, test } from "@jest/globals";
import { API_SCOPES, type ApiScope } from "#runtime";
import { createAuthorise } from "./auth.ts";
import { actorOf } from "./caller.ts";
import { serverOf } from "./fixtures/server.ts";
import { testSessions } from "./fixtures/sessions.ts";
import type { ControlApp } from "./server.ts";

let app: ControlApp | undefined;
afterEach(() => app?.close());

const tokenOf = (scopes: readonly ApiScope[]) => {
  const name = scopes.join("-");
  return { name, scopes, digest: hash("sha256", `token-${name}`, "buffer") };
};

/** The answer to a caller whose token has these scopes. */
async function started() {
  const tokens = [...API_SCOPES.map((scope) => tokenOf([scope])), tokenOf(["read", "write"])];
  const server = await serverOf(
    [
      (routes) => {
        routes.get("/thing", (request) => actorOf(request));
        routes.post("/thing", (request) => actorOf(request));
        routes.delete("/thing", (request) => actorOf(request));
        routes.post("/again", { config: { scope: "replay" } }, (request) => actorOf(request));
        routes.post("/preview", { config: { scope: "read" } }, (request) => actorOf(request));
      },
    ],
    { authorise: createAuthorise(tokens, testSessions()) },
  );
  app = server;
  return async (name: string, method: "GET" | "POST" | "DELETE", url: string) => {
    const answer = await server.inject({ method, url, headers: { authorization: `Bearer token-${name}` } });
    return { status: answer.statusCode, body: answer.json() };
  };
}

test.each([
  ["read", "GET", "/thing", undefined],
  ["write", "POST", "/thing", undefined],
  ["write", "DELETE", "/thing", undefined],
  ["replay", "POST", "/again", undefined],
  ["read", "POST", "/preview", undefined],
  ["read-write", "DELETE", "/thing", undefined],
  ["read", "POST", "/thing", "write"],
  ["read", "DELETE", "/thing", "write"],
  ["write", "GET", "/thing", "read"],
  ["write", "POST", "/preview", "read"],
  ["read-write", "POST", "/again", "replay"],
  ["replay", "POST", "/thing", "write"],
] as const)("a token with %s that asks %s %s lacks %s", async (name, method, url, lacking) => {
  const ask = await started();
  const { status, body } = await ask(name, method, url);
  if (lacking === undefined) {
    expect({ status, body }).toEqual({ status: 200, body: { token: name, requestId: "made" } });
    return;
  }
  expect(status).toBe(403);
  expect(body.detail).toBe(
    `this needs the scope ${lacking}, and the token ${name} has only ${name.replace("-", ", ")}`,
  );
});

test("what is not there is 404 to every token, and 401 to none", async () => {
  const ask = await started();
  expect((await ask("replay", "GET", "/nothing")).status).toBe(404);
  expect((await ask("unknown", "GET", "/nothing")).status).toBe(401);
});
