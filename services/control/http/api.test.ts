import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type ControlService, startControl } from "#support/control-service";
import { environment } from "#support/environment";
import { scratchFolder } from "#support/scratch-folder";
import { until } from "#support/until";

const TOKENS = ["first-token-0123456789", "second-token-987654321"];
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

let open: ControlService;
let guarded: ControlService;
let folder: string;
let tokenFile: string;

beforeAll(async () => {
  open = await startControl();
  folder = scratchFolder();
  tokenFile = join(folder, "tokens");
  await writeFile(tokenFile, TOKENS.join(","));
  const settings = { HOOKLINE_API_TOKENS_FILE: tokenFile, HOOKLINE_CONTROL_HOST: "127.0.0.1" };
  guarded = await startControl({ stack: open.stack, prefix: open.prefix, keys: open.keys, settings });
}, 180_000);
afterAll(async () => {
  await guarded.stop();
  await open.stop();
});

/** A request with headers that fetch does not let a program set. */
function raw(headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${open.url}/v1/sources`, { headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on("error", reject).end();
  });
}

describe("tokens (contract 6.4, 10.1)", () => {
  test.each(TOKENS)("every configured token opens the API", async (token) => {
    expect((await guarded.ask("/v1/sources", { headers: bearer(token) })).status).toBe(200);
  });

  test.each([
    ["no token", {}],
    ["a wrong token", bearer("wrong-token-0123456789")],
    ["the beginning of a token", bearer("first-token")],
    ["both tokens as one", bearer(TOKENS.join(","))],
    ["a token by another scheme", { authorization: `Basic ${TOKENS[0]}` }],
  ])("%s is answered with 401, on every path", async (_what, headers) => {
    for (const path of ["/v1/sources", "/openapi.json", "/nowhere"]) {
      const answer = await guarded.ask(path, { headers: headers as Record<string, string> });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe("Bearer");
      expect(answer.body).toMatchObject({
        type: "urn:hookline:problem:unauthorized",
        status: 401,
        errors: [],
      });
    }
  });

  test("a token is given and taken away by the file alone, and with it goes who listens by it", async () => {
    const lent = "lent-token-0123456789abc";
    const statusOf = async (token: string) =>
      (await guarded.ask("/v1/sources", { headers: bearer(token) })).status;
    const becomes = (token: string, status: number) =>
      until(async () => (await statusOf(token)) === status, {
        timeoutMs: 60_000,
        what: `${status} for a token`,
      });
    await writeFile(tokenFile, [...TOKENS, `lent:read:${lent}`].join(","));
    await becomes(lent, 200);
    const source = await open.ask("/v1/sources", { body: { name: "listened to" } });
    // The two processes read what the other writes some milliseconds later.
    const isKnown = async () =>
      (await guarded.ask(`/v1/sources/${source.body.id}`, { headers: bearer(lent) })).status === 200;
    await until(isKnown, { timeoutMs: 60_000, what: "the source to be known" });
    const listening = await fetch(`${guarded.url}/v1/sources/${source.body.id}/live`, {
      headers: bearer(lent),
    });
    expect(listening.status).toBe(200);
    await writeFile(tokenFile, TOKENS.join(","));
    await becomes(lent, 401);
    expect(await statusOf(TOKENS[0] ?? "")).toBe(200);
    // Ends, or the test does not.
    expect(await listening.text()).toContain("event: ");
  }, 180_000);

  test("without a token the service refuses to listen on an address that others reach", async () => {
    const settings = { HOOKLINE_CONTROL_HOST: "0.0.0.0" };
    const started = startControl({ stack: open.stack, prefix: open.prefix, settings });
    await expect(started).rejects.toThrow(/HOOKLINE_API_TOKENS/);
  });

  test("without a token pages of other origins and rebound names are refused, programs of this machine are not", async () => {
    const { host } = new URL(open.url);
    const port = host.split(":")[1];
    expect(await raw({ host })).toBe(200);
    expect(await raw({ host: `localhost:${port}`, origin: `http://localhost:${port}` })).toBe(200);
    expect(await raw({ host, origin: "https://evil.example" })).toBe(403);
    expect(await raw({ host, origin: "null" })).toBe(403);
    expect(await raw({ host, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await raw({ host, "sec-fetch-site": "none" })).toBe(200);
    expect(await raw({ host: "evil.example" })).toBe(403);
    expect(await raw({ host: "127.0.0.1.evil.example" })).toBe(403);
  });
});

describe("problems (RFC 9457, contract 10.1)", () => {
  const post = (body: string, contentType = "application/json") =>
    open.ask("/v1/sources", { body, headers: { "content-type": contentType } });

  test("a body that is no JSON is 400, and what it says is not repeated", async () => {
    const answer = await post('{"sharedSecret": "hidden-content');
    expect(answer.status).toBe(400);
    expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(answer.body).toMatchObject({ type: "urn:hookline:problem:unreadable", status: 400, errors: [] });
    expect(answer.text).not.toContain("hidden");
  });

  test("a body that is not UTF-8 is 400: replacement characters would be other ids", async () => {
    const body = Buffer.from('{"name": "andré"}', "latin1");
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${open.url}/v1/sources`, { method: "POST", body, headers });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ detail: "the body is not UTF-8" });
  });

  test("keys that could change prototypes are 400", async () => {
    expect((await post('{"name": "x", "__proto__": {"id": "y"}}')).status).toBe(400);
    expect((await post('{"name": "x", "constructor": {"prototype": {}}}')).status).toBe(400);
  });

  test("a body of another type is 415: a form of another origin cannot send JSON", async () => {
    expect((await post('{"name": "x"}', "text/plain")).status).toBe(415);
    expect((await post("name=x", "application/x-www-form-urlencoded")).status).toBe(415);
  });

  test.each(["", "null", "[]", '"text"'])("the body %p is no object: 422", async (body) => {
    const answer = await open.ask("/v1/sources", {
      method: "POST",
      body,
      headers: { "content-type": "application/json" },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([{ path: "", message: "must be an object" }]);
  });

  test("a body over 512 KiB is 413", async () => {
    expect((await post(JSON.stringify({ name: "x".repeat(512 * 1024) }))).status).toBe(413);
  });

  test("paths that are not there are 404, as problems", async () => {
    for (const path of ["/", "/v1/nothing", "/v1/sources/none", "/v1/destinations/none", "/%zz"]) {
      const answer = await open.ask(path);
      expect([400, 404]).toContain(answer.status);
      expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    }
  });

  test("a method that a path does not have is 405, with those that it has", async () => {
    const cases = [
      ["/v1/sources", "GET, HEAD, POST"],
      ["/v1/sources/shop?x=1", "DELETE, GET, HEAD, PATCH"],
      ["/v1/audiences/preview", "DELETE, GET, HEAD, PATCH, POST"],
      ["/v1/reasons", "GET, HEAD"],
    ] as const;
    for (const [path, allow] of cases) {
      const { status, headers, body } = await open.ask(path, { method: "PUT", body: {} });
      expect([path, status, headers.get("allow"), body.type]).toEqual([
        path,
        405,
        allow,
        "urn:hookline:problem:method_not_allowed",
      ]);
    }
    expect((await open.ask("/v1/source", { method: "PUT", body: {} })).headers.get("allow")).toBeNull();
  });
});

describe("lists (contract 10.1)", () => {
  test.each([
    ["limit=0", "limit"],
    ["limit=201", "limit"],
    ["limit=many", "limit"],
    ["after=nonsense", "after"],
    ["order=name", "order"],
    ["limit=2&limit=3", "limit"],
    ["after=", "after"],
    ["order=", "order"],
  ])("?%s is refused by name", async (query, path) => {
    const { status, body } = await open.ask(`/v1/sources?${query}`);
    expect({ status, paths: body.errors.map((error: { path: string }) => error.path) }).toEqual({
      status: 422,
      paths: [path],
    });
  });
});

describe("the OpenAPI document", () => {
  test("it is 3.1, and has a route with its answers and its problems", async () => {
    const { status, body } = await guarded.ask("/openapi.json", {
      headers: bearer("first-token-0123456789"),
    });
    expect(status).toBe(200);
    expect(body.openapi).toBe("3.1.0");
    const { requestBody, responses } = body.paths["/v1/destinations"].post;
    expect(Object.keys(responses)).toEqual([
      "201",
      "400",
      "401",
      "403",
      "409",
      "413",
      "415",
      "422",
      "500",
      "503",
    ]);
    expect(requestBody.content["application/json"].schema).toEqual({
      $ref: "#/components/schemas/NewDestination",
    });
    expect(responses["201"].content["application/json"].schema).toEqual({
      $ref: "#/components/schemas/Destination",
    });
    expect(responses["422"]).toEqual({ $ref: "#/components/responses/RefusedValues" });
    const { content } = body.components.responses.RefusedValues;
    expect(content["application/problem+json"].schema).toEqual({ $ref: "#/components/schemas/Problem" });
    expect(body.servers).toEqual([expect.objectContaining({ url: "/" })]);
    expect(body.components.schemas.Problem.required).toContain("errors");
    expect(body.security).toEqual([{ bearer: [] }]);
    expect(JSON.stringify(body)).not.toMatch(/Default Response|~kind/);
  });
});

describe("what docs/use/destinations.md shows", () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/use/destinations.md"), "utf8");

  test("of statistics works when it is pasted", async () => {
    const webhooks = [{ url: "https://example.com/" }];
    const { body } = await open.ask("/v1/destinations", { body: { name: "Shop", sourceIds: [], webhooks } });
    const lines = page.split("\n").filter((line) => /^curl .*\/stats/.test(line));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      const env = { ...environment, CONTROL: open.url, DESTINATION: body.id };
      const { stdout } = await promisify(execFile)("sh", ["-c", line], { env });
      expect(JSON.parse(stdout)).toMatchObject({ data: [], total: { attempts: {} } });
    }
  });

  test("names moments that the API takes", async () => {
    const moments = [...page.matchAll(/--(?:from|to) (\S+)/g)].map(([, moment]) => moment);
    expect(moments.length).toBeGreaterThan(0);
    for (const moment of moments)
      expect([moment, (await open.ask(`/v1/dead-letters?from=${moment}`)).status]).toEqual([moment, 200]);
  });
});
