import { describe, expect, test } from "@jest/globals";
import { CALL_TYPES } from "#contract";
import { BASIC, post, useFixture } from "./fixtures/http.ts";

const ingest = await useFixture();

const ALL_FIELDS = { userId: "u", event: "E", groupId: "g", previousId: "p" };
const call = { type: "track", event: "E", userId: "u" };
const SUCCESS = { success: true };

describe("routes (contract 7.1)", () => {
  const routes = CALL_TYPES.flatMap((type) =>
    [type, type.slice(0, 1)].flatMap((name) => [`/v1/${name}`, `/v1/${name}/`]).map((path) => [path, type]),
  );

  test.each(routes)("POST %s takes one %s call", async (path, type) => {
    expect(await post(ingest, path, { body: ALL_FIELDS })).toMatchObject({ status: 200, body: SUCCESS });
    expect(ingest.stored).toMatchObject([{ type }]);
  });

  test.each(["/v1/batch", "/v1/batch/", "/v1/import", "/v1/import/", "/v1/b", "/v1/b/", "/v1/b?retry=1"])(
    "POST %s takes a batch",
    async (path) => {
      expect(await post(ingest, path, { body: { batch: [call, call] } })).toMatchObject({
        status: 200,
        body: SUCCESS,
      });
      expect(ingest.stored).toHaveLength(2);
    },
  );

  test('success is exactly {"success":true}', async () => {
    const response = await fetch(`${ingest.url}/v1/t`, {
      method: "POST",
      headers: BASIC,
      body: JSON.stringify(call),
    });
    expect(await response.text()).toBe('{"success":true}');
  });

  test("client metrics are accepted and discarded, whatever they are", async () => {
    expect(await post(ingest, "/v1/m", { body: "not json", headers: {} })).toMatchObject({
      status: 200,
      body: SUCCESS,
    });
    expect(ingest.stored).toEqual([]);
  });

  test.each([
    ["GET", "/"],
    ["POST", "/v1/unknown"],
    ["POST", "/v1"],
    ["GET", "/v1/projects/x"],
    ["POST", "//v1/track"],
    ["DELETE", "/v1/__proto__"],
  ])("%s %s is nothing: 404 as JSON", async (method, path) => {
    const response = await fetch(ingest.url + path, { method });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ success: false, code: "not_found" });
  });

  test.each([
    ["GET", "/v1/track", "POST, OPTIONS"],
    ["PUT", "/v1/batch", "POST, OPTIONS"],
    ["POST", "/v1/projects/x/settings", "GET, HEAD, OPTIONS"],
    ["DELETE", "/v1/pixel/track?data=x", "GET, HEAD, OPTIONS"],
  ])("%s %s is 405 as JSON, and says what can be asked", async (method, path, allowed) => {
    const response = await fetch(ingest.url + path, { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allowed]);
    expect(await response.json()).toMatchObject({ success: false, code: "method_not_allowed" });
  });
});
