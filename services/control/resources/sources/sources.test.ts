import { describe, expect, test } from "@jest/globals";
import { until } from "#support/until";
import { control, useControl } from "#support/use-control";
import { openTopics } from "../../deliveries/fixtures/deliveries.ts";

useControl();

async function newSource(body: object = { name: "Web" }) {
  const { status, body: source } = await control.ask("/v1/sources", { body });
  expect(status).toBe(201);
  return source as { id: string; name: string; enabled: boolean; writeKeys: string[]; updatedAt: string };
}

describe("sources (contract 10.2)", () => {
  test("a source is made enabled, with an id and one write key of its own", async () => {
    const { status, headers, body } = await control.ask("/v1/sources", { body: { name: "Web" } });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^src_[0-9a-f]{16}$/),
      name: "Web",
      enabled: true,
      labels: {},
      writeKeys: [expect.stringMatching(/^[0-9a-f]{32}$/)],
      formerKeys: [],
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      updatedAt: body.createdAt,
    });
    expect(headers.get("location")).toBe(`/v1/sources/${body.id}`);
    expect((await newSource()).writeKeys).not.toEqual(body.writeKeys);
  });

  test("a given id is used, and a second source with it is a conflict", async () => {
    expect((await newSource({ name: "Shop", id: "shop_1-a" })).id).toBe("shop_1-a");
    const again = await control.ask("/v1/sources", { body: { name: "Other", id: "shop_1-a" } });
    expect(again.status).toBe(409);
    expect(again.body.detail).toContain("shop_1-a");
    expect((await control.ask("/v1/sources/shop_1-a")).body.name).toBe("Shop");
  });

  test("the id of the built-in source is a conflict too", async () => {
    const answer = await control.ask("/v1/sources", { body: { name: "Mine", id: "spa_default" } });
    expect(answer.status).toBe(409);
  });

  test("two requests at once for one id make one source", async () => {
    const body = { name: "Twice", id: "twice" };
    const answers = await Promise.all([1, 2, 3].map(() => control.ask("/v1/sources", { body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });

  test.each([
    ["a blank", "a b"],
    ["a colon, which ends the source id in a record's key", "a:b"],
    ["nothing in it", ""],
    ["65 characters", "x".repeat(65)],
  ])("an id with %s is refused", async (_what, id) => {
    const { status, body } = await control.ask("/v1/sources", { body: { name: "Web", id } });
    expect({ status, paths: body.errors.map(({ path }: { path: string }) => path) }).toEqual({
      status: 422,
      paths: ["id"],
    });
  });

  test("what was answered with 2xx is in the next answer", async () => {
    const { id } = await newSource();
    for (let turn = 0; turn < 20; turn += 1) {
      await control.ask(`/v1/sources/${id}`, { method: "PATCH", body: { name: `Turn ${turn}` } });
      expect((await control.ask(`/v1/sources/${id}`)).body.name).toBe(`Turn ${turn}`);
    }
  });

  test("a patch changes what it names, keeps the rest, and moves updatedAt", async () => {
    const source = await newSource();
    const patched = await control.ask(`/v1/sources/${source.id}`, {
      method: "PATCH",
      body: { enabled: false },
    });
    expect(patched.status).toBe(200);
    const { updatedAt, ...rest } = patched.body;
    expect({ ...rest, updatedAt: source.updatedAt }).toEqual({ ...source, enabled: false });
    expect(Date.parse(updatedAt)).toBeGreaterThanOrEqual(Date.parse(source.updatedAt));
  });

  test("has labels: a patch names those that change, and null removes one", async () => {
    const { id } = await newSource({ name: "Web", labels: { team: "growth", env: "live" } });
    const labels = { team: null, env: "test", "cost.centre": "4711 – Köln" };
    const patched = await control.ask(`/v1/sources/${id}`, { method: "PATCH", body: { labels } });
    expect(patched.body.labels).toEqual({ "cost.centre": "4711 – Köln", env: "test" });
    expect((await control.ask("/v1/sources?label=cost.centre&label=env:test")).body.data).toEqual([
      patched.body,
    ]);
    const renamed = await control.ask(`/v1/sources/${id}`, { method: "PATCH", body: { name: "New" } });
    expect(renamed.body.labels).toEqual(patched.body.labels);
  });

  test("labels that may not be are refused by their keys, and so are more than sixteen in the end", async () => {
    const many = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`key-${index}`, ""]));
    const { id } = await newSource({ name: "Web", labels: many });
    const refusedFields = async (labels: unknown) => {
      const { body } = await control.ask(`/v1/sources/${id}`, { method: "PATCH", body: { labels } });
      return Object.fromEntries(
        body.errors.map(({ path, message }: Record<string, string>) => [path, message]),
      );
    };
    expect(
      await refusedFields({ Team: "a", "-x": "b", long: "x".repeat(129), line: "a\nb", number: 5 }),
    ).toEqual({
      labels: "would be 20, and at most 16 are kept: null removes one",
      "labels.Team": expect.stringMatching(/^is not of this form: 1 to 63 lower-case letters/),
      "labels.-x": expect.stringMatching(/^is not of this form: 1 to 63 lower-case letters/),
      "labels.long": "must have at most 128 characters",
      "labels.line": "is not of this form: No control characters.",
      "labels.number": "must be a text or null",
    });
    expect(await refusedFields({ more: "x" })).toEqual({
      labels: "would be 17, and at most 16 are kept: null removes one",
    });
    expect(await refusedFields(["team"])).toEqual({ labels: "must be an object" });
    const swapped = await control.ask(`/v1/sources/${id}`, {
      method: "PATCH",
      body: { labels: { "key-0": null, more: "x" } },
    });
    expect(Object.keys(swapped.body.labels)).toHaveLength(16);
  });

  test("two changes at once do not bring more labels than there may be", async () => {
    const labels = (from: number) =>
      Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`key-${from + index}`, ""]));
    const { id } = await newSource({ name: "Web", labels: labels(0) });
    const patches = [6, 12].map((from) =>
      control.ask(`/v1/sources/${id}`, { method: "PATCH", body: { labels: labels(from) } }),
    );
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual([200, 422]);
  });

  test("a merge patch's own media type is read too", async () => {
    const { id } = await newSource();
    const headers = { "content-type": "application/merge-patch+json" };
    const patched = await control.ask(`/v1/sources/${id}`, {
      method: "PATCH",
      headers,
      body: { name: "New" },
    });
    expect(patched.body.name).toBe("New");
  });

  test("fields that nobody sets are refused, and null where there must be a value", async () => {
    const { id } = await newSource();
    const body = { id: "other", writeKeys: [], name: null };
    const { status, body: problem } = await control.ask(`/v1/sources/${id}`, { method: "PATCH", body });
    expect(status).toBe(422);
    expect(problem.errors).toEqual([
      { path: "id", message: "is not a field that can be set" },
      { path: "writeKeys", message: "is not a field that can be set" },
      { path: "name", message: "must be a text" },
    ]);
  });

  test("keys rotate: a new one is added, then the old one is ended", async () => {
    const {
      id,
      writeKeys: [old],
    } = await newSource();
    const added = await control.ask(`/v1/sources/${id}/write-keys`, { method: "POST" });
    expect(added.status).toBe(201);
    expect(added.body.writeKeys).toEqual([old, expect.stringMatching(/^[0-9a-f]{32}$/)]);
    const ended = await control.ask(`/v1/sources/${id}/write-keys/${old}`, { method: "DELETE" });
    expect({ status: ended.status, text: ended.text }).toEqual({ status: 204, text: "" });
    expect((await control.ask(`/v1/sources/${id}`)).body.writeKeys).toEqual([added.body.writeKeys[1]]);
  });

  test("a former key has its last call, and loses it with its end", async () => {
    const { id, writeKeys } = await newSource();
    const [former = ""] = writeKeys;
    await control.ask(`/v1/sources/${id}/write-keys`, { method: "POST" });
    const none = { writeKey: former, lastCallAt: null, userAgent: null, network: null };
    expect((await control.ask(`/v1/sources/${id}`)).body.formerKeys).toEqual([none]);
    const use = { sourceId: id, writeKey: former, atMs: 5_000, userAgent: "curl/8", network: "192.0.2.0/24" };
    const topics = await openTopics(control);
    await topics.write(control.topics.formerKeyUses, [use]);
    await topics.close();
    const lastCall = async () => (await control.ask(`/v1/sources/${id}`)).body.formerKeys[0];
    const { sourceId: _, atMs: __, ...shown } = use;
    expect(
      await until(async () => ((await lastCall()).lastCallAt === null ? undefined : await lastCall()), {
        timeoutMs: 30_000,
        what: "the last call of the former key",
      }),
    ).toEqual({ ...shown, lastCallAt: "1970-01-01T00:00:05.000Z" });
    await control.ask(`/v1/sources/${id}/write-keys/${former}`, { method: "DELETE" });
    expect((await control.ask(`/v1/sources/${id}`)).body.formerKeys).toEqual([]);
  });

  test("the last key cannot be ended, a key that is not there is not found", async () => {
    const {
      id,
      writeKeys: [only],
    } = await newSource();
    expect((await control.ask(`/v1/sources/${id}/write-keys/nope`, { method: "DELETE" })).status).toBe(404);
    const last = await control.ask(`/v1/sources/${id}/write-keys/${only}`, { method: "DELETE" });
    expect(last.status).toBe(409);
    expect(last.body.detail).toContain("last write key");
  });

  test("a source has at most 20 write keys", async () => {
    const { id } = await newSource();
    // Nineteen at once wait for each other; on a busy machine the last ones are told to come again.
    const add = async () => {
      for (;;) {
        const answer = await control.ask(`/v1/sources/${id}/write-keys`, { method: "POST" });
        if (answer.status !== 503 || !answer.body.detail.includes("nothing was begun")) return answer;
      }
    };
    const answers = await Promise.all(Array.from({ length: 19 }, add));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await add()).status).toBe(409);
    expect((await control.ask(`/v1/sources/${id}`)).body.writeKeys).toHaveLength(20);
  });

  test("a deleted source is gone, and its id can be used again", async () => {
    const { id } = await newSource({ name: "Web", id: "again" });
    expect((await control.ask(`/v1/sources/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await control.ask(`/v1/sources/${id}`)).status).toBe(404);
    expect((await control.ask(`/v1/sources/${id}`, { method: "DELETE" })).status).toBe(404);
    const { writeKeys } = await newSource({ name: "Web 2", id: "again" });
    expect((await control.ask(`/v1/sources/${id}`)).body).toMatchObject({ name: "Web 2", writeKeys });
  });

  test("a source that a destination is connected to is not deleted", async () => {
    const { id } = await newSource();
    const { body: destination } = await control.ask("/v1/destinations", {
      body: { name: "D", sourceIds: [id], webhooks: [{ url: "https://example.com/" }] },
    });
    const refused = await control.ask(`/v1/sources/${id}`, { method: "DELETE" });
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain(destination.id);
    await control.ask(`/v1/destinations/${destination.id}`, { method: "DELETE" });
    expect((await control.ask(`/v1/sources/${id}`, { method: "DELETE" })).status).toBe(204);
  });
});
