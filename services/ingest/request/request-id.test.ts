import { afterEach, expect, test } from "@jest/globals";
import { BASIC, type FixtureOptions, type IngestFixture, post, startFixture } from "../fixtures/http.ts";

let ingest: IngestFixture | undefined;
afterEach(() => ingest?.close());

const CALL = { type: "track", event: "E", userId: "u" };

async function started(options: FixtureOptions = {}): Promise<IngestFixture> {
  ingest = await startFixture(options);
  return ingest;
}

async function idOf(fixture: IngestFixture, body: unknown, headers: Record<string, string> = {}) {
  const answer = await post(fixture, "/v1/track", { body, headers: { ...BASIC, ...headers } });
  return [answer.status, answer.headers.get("x-request-id")];
}

test("a caller's request id is in every answer", async () => {
  const fixture = await started();
  const own = { "x-request-id": "mine:1" };
  expect(await idOf(fixture, CALL, own)).toEqual([200, "mine:1"]);
  expect(await idOf(fixture, "{", own)).toEqual([400, "mine:1"]);
  const pixel = await fetch(`${fixture.url}/v1/pixel/track?data=`, { headers: own });
  expect([pixel.status, pixel.headers.get("x-request-id")]).toEqual([200, "mine:1"]);
  const nothing = await fetch(`${fixture.url}/nothing`, { headers: own });
  expect([nothing.status, nothing.headers.get("x-request-id")]).toEqual([404, "mine:1"]);
});

test("an answer that is no success has one that was made, a success without one has none", async () => {
  const fixture = await started();
  expect(await idOf(fixture, "{")).toEqual([400, "made"]);
  expect(await idOf(fixture, "{", { "x-request-id": "two words" })).toEqual([400, "made"]);
  expect(await idOf(fixture, CALL)).toEqual([200, null]);
});

test("what fails unexpectedly is logged under the id that the caller was told", async () => {
  const reported: [unknown, string][] = [];
  const error = new Error("broken");
  const fixture = await started({
    parts: { onUnexpected: (thrown, requestId) => void reported.push([thrown, requestId]) },
    store: () => Promise.reject(error),
  });
  expect(await idOf(fixture, CALL, { "x-request-id": "mine" })).toEqual([500, "mine"]);
  expect(await idOf(fixture, CALL)).toEqual([500, "made"]);
  expect(reported).toEqual([
    [error, "mine"],
    [error, "made"],
  ]);
});

test("browsers may send it and read it", async () => {
  const fixture = await started();
  const origin = { origin: "https://shop.example" };
  const preflight = await fetch(`${fixture.url}/v1/t`, { method: "OPTIONS", headers: origin });
  expect(preflight.headers.get("access-control-allow-headers")).toContain("x-request-id");
  const answer = await post(fixture, "/v1/t", { body: CALL, headers: { ...BASIC, ...origin } });
  expect(answer.headers.get("access-control-expose-headers")).toContain("X-Request-Id");
});
