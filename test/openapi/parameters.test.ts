// Every route, asked with a parameter that it does not have; nothing stands behind the routes, so a handler that is reached answers 500.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "#contract";
import { serverWithoutParts } from "./document.ts";

let app: Awaited<ReturnType<typeof serverWithoutParts>>;
let operations: readonly (readonly [method: string, path: string, operation: JsonObject])[];

beforeAll(async () => {
  app = await serverWithoutParts();
  const document = (await app.inject("/openapi.json")).json();
  operations = Object.entries(document.paths as Record<string, Record<string, JsonObject>>).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [method.toUpperCase(), path, operation] as const),
  );
});
afterAll(() => app.close());

const IDS = /\{[^}]+\}/g;
const hasBody = ({ requestBody }: JsonObject) => requestBody !== undefined;

describe("an unknown parameter", () => {
  test("is refused by every route, with its name", async () => {
    const notRefused: string[] = [];
    for (const [method, path, operation] of operations) {
      const url = `${path.replaceAll(IDS, "x")}?unknown=1`;
      const isUpload = method === "PUT";
      const headers = { "content-type": isUpload ? "text/csv" : "application/json" };
      const sent = hasBody(operation) ? { headers, payload: isUpload ? "userId" : "{}" } : {};
      const answer = await app.inject({ method: method as "GET", url, ...sent });
      const fields =
        answer.statusCode === 422
          ? answer.json().errors.map(({ path: field }: { path: string }) => field)
          : [];
      // Some look at the body first, which lacks what it needs.
      const isRefused = fields.includes("unknown") || (fields.length > 0 && hasBody(operation));
      if (!isRefused) notRefused.push(`${method} ${url}: ${answer.statusCode}`);
    }
    expect(notRefused).toEqual([]);
  });

  test.each([
    [
      "GET",
      "/v1/dead-letters?destinatonId=x",
      "destinatonId",
      "query parameter of this route; did you mean destinationId?",
    ],
    [
      "GET",
      "/v1/destinations/x/attempts?messageid=x",
      "messageid",
      "query parameter of this route; did you mean messageId?",
    ],
    ["GET", "/v1/sources/x?expand=1", "expand", "query parameter"],
    ["PATCH", "/v1/sources/x?force=true", "force", "query parameter"],
    ["POST", "/v1/destinations/x/pause?callsWaitFor=1h", "callsWaitFor", "query parameter"],
    ["DELETE", "/v1/destinations/x?force=true", "force", "query parameter"],
  ] as const)("of %s %s is named", async (method, url, path, meant) => {
    const payload = method === "PATCH" ? { payload: { name: "a" } } : {};
    const answer = await app.inject({ method, url, ...payload });
    expect([answer.statusCode, answer.json().errors]).toEqual([
      422,
      [{ path, message: expect.stringContaining(meant) }],
    ]);
  });
});

test("a body may be left out where the document says so, and nowhere else", async () => {
  const bodies = operations.flatMap(([method, path, { requestBody }]) =>
    requestBody === undefined
      ? []
      : [{ name: `${method} ${path}`, ...(requestBody as { required?: boolean }) }],
  );
  expect(bodies.filter(({ required }) => required !== true).map(({ name }) => name)).toEqual([
    "POST /v1/destinations/{id}/pause",
    "POST /v1/destinations/{id}/resume",
    "POST /v1/destinations/{id}/retry",
    "POST /v1/destinations/{id}/test",
    "POST /v1/sources/{id}/replays",
  ]);
  for (const [method, path] of operations.filter(([, , operation]) => hasBody(operation))) {
    const answer = await app.inject({ method: method as "POST", url: path.replaceAll(IDS, "x") });
    // Where none is needed, the handler is reached, which has nothing to work with.
    const isOptional = bodies.some(({ name, required }) => name === `${method} ${path}` && required !== true);
    expect([method, path, answer.statusCode]).toEqual([method, path, isOptional ? 500 : expect.any(Number)]);
    if (!isOptional) expect([415, 422, 500]).toContain(answer.statusCode);
  }
});
