import { beforeAll, describe, expect, test } from "@jest/globals";
import { connect } from "#connection";
import { createSecretBox } from "#secrets";
import { type ControlService, newEncryptionKey, problemFields, startControl } from "#support/control-service";
import { msOf, shortest } from "#support/shortest";
import { until } from "#support/until";
import { control, createSource, useControl } from "#support/use-control";
import { DESTINATION_DEFAULTS, type DestinationConfig } from "#topics";
import { webhookId } from "../../http/webhook-fields.ts";
import { optionsView } from "./options/patch.ts";

const MASK = "********";

let sourceId: string;

useControl();
beforeAll(async () => {
  sourceId = await createSource();
});

function destination(more: object = {}): object {
  return { name: "D", sourceIds: [sourceId], webhooks: [{ url: "https://example.com/hook" }], ...more };
}

async function create(more: object = {}) {
  const { status, body } = await control.ask("/v1/destinations", { body: destination(more) });
  expect(status).toBe(201);
  return body;
}

function patch(id: string, body: object) {
  return control.ask(`/v1/destinations/${id}`, { method: "PATCH", body });
}

/** What is stored, as the deliverer reads it. */
async function stored(
  id: string,
  { stack, topics, keys }: Pick<ControlService, "stack" | "topics" | "keys"> = control,
): Promise<{ config: DestinationConfig; clear: string[] }> {
  const topic = topics.destinationConfig;
  const connection = connect({
    kafka: { brokers: stack.brokers, tls: false, clientId: "test" },
    registryUrl: stack.registryUrl,
    topics: [topic],
  });
  const { kafka, serde } = connection;
  try {
    const table = kafka.table<DestinationConfig>({
      topic: topic.name,
      decode: ({ value }) => serde.decode(topic, value),
    });
    await table.load();
    const config = table.get(id);
    if (config === undefined) throw new Error(`no record of ${id}`);
    const parsed = keys.split(",").map((entry) => {
      const [keyId = "", base64 = ""] = entry.split(":");
      return { id: keyId, key: Buffer.from(base64, "base64") };
    });
    const box = createSecretBox({ keys: parsed });
    const { sharedSecret } = config;
    const at = { destinationId: id };
    const clear = [
      sharedSecret === null ? "" : box.decrypt(sharedSecret, { ...at, field: "sharedSecret" }),
      ...config.webhooks.flatMap(({ url, headers }) =>
        headers.map(({ name, value }) => box.decrypt(value, { ...at, field: "header", url, name })),
      ),
    ];
    return { config, clear };
  } finally {
    await connection.close();
  }
}

const CLOSED = { state: "closed", nextProbeAt: null };

describe("destinations (contract 4.1, 10.3)", () => {
  test("a destination is made off, and shows that its secret is set and which headers it has, not what they are", async () => {
    const created = await create({
      sharedSecret: "s3cr3t",
      webhooks: [
        { url: "https://example.com/a", headers: { "X-Key": "top-secret", "X-Other": "" } },
        { url: "http://example.com:8080/b?c=d" },
      ],
      callTypes: ["track", "delete"],
    });
    expect(created).toEqual({
      id: expect.stringMatching(/^dst_[0-9a-f]{16}$/),
      name: "D",
      enabled: false,
      labels: {},
      sourceIds: [sourceId],
      ...optionsView(DESTINATION_DEFAULTS),
      callTypes: ["track", "delete"],
      disabledReason: null,
      paused: null,
      retry: null,
      previousSecretValidUntil: null,
      sharedSecretSet: true,
      webhooks: [
        {
          id: webhookId(created.id, "https://example.com/a"),
          url: "https://example.com/a",
          maskedUrl: "https://example.com/a",
          headers: { "X-Key": MASK, "X-Other": MASK },
          breaker: CLOSED,
        },
        {
          id: webhookId(created.id, "http://example.com:8080/b?c=d"),
          url: "http://example.com:8080/b?c=d",
          maskedUrl: expect.stringMatching(/^http:\/\/example\.com:8080\/b\/\*\*\*#/),
          headers: {},
          breaker: CLOSED,
        },
      ],
      health: { state: "untested", since: null, consecutiveFailures: 0, lastError: null, reasons: [] },
      createdAt: expect.any(String),
      updatedAt: created.createdAt,
    });
    expect((await control.ask(`/v1/destinations/${created.id}`)).body).toEqual(created);
  });

  test("one with an address to which no request goes is made all the same, with a warning", async () => {
    const created = await create({ webhooks: [{ url: "http://10.1.2.3/hook" }] });
    const [warning] = created.warnings;
    expect(warning).toEqual({
      path: "webhooks[0].url",
      message: expect.stringContaining("HOOKLINE_EGRESS_ALLOW_CIDRS opens it"),
    });
    expect((await control.ask(`/v1/destinations/${created.id}`)).body.warnings).toEqual([warning]);
  });

  test("without secret, headers and call types it has none, and sends all types", async () => {
    expect(await create({ enabled: true })).toMatchObject({
      enabled: true,
      callTypes: null,
      sharedSecretSet: false,
    });
  });

  test("every wrong field is named at once, those of the shape beside those of the rules", async () => {
    const answer = await control.ask("/v1/destinations", {
      body: {
        name: "",
        sourceIds: [sourceId, "nope"],
        enabled: "yes",
        sharedSecret: "",
        webhooks: [
          { url: "ftp://example.com/" },
          { url: "https://user:pass@example.com/" },
          { url: 7, headers: { "X-A": 1, Host: "x", "X Bad": "v", "X-Line": "a\r\nb" } },
          { url: "https://example.com/same" },
          { url: "https://EXAMPLE.com:443/same", more: 1 },
        ],
        callTypes: ["track", "purchase"],
        version: 3,
      },
    });
    expect(answer.status).toBe(422);
    expect(problemFields(answer)).toEqual({
      version: "is not a field that can be set",
      name: "must not be empty",
      enabled: "must be true or false",
      sharedSecret: "must not be empty",
      "sourceIds[1]": "is not the id of a source",
      "callTypes[1]": "must be one of track, page, screen, identify, group, alias, delete",
      "webhooks[0].url": "must be a full URL beginning with http:// or https://",
      "webhooks[1].url": "must not contain credentials; use a header instead",
      "webhooks[2].url": "must be a text",
      "webhooks[2].headers.X-A": "must be a text",
      "webhooks[2].headers.Host": "is set by Hookline and cannot be overridden",
      "webhooks[2].headers.X Bad": "is not a valid header name",
      "webhooks[2].headers.X-Line": "must have a value of printable ASCII without blanks at its ends",
      "webhooks[4].url": "is the same as another webhook's",
      "webhooks[4].more": "is not a field that can be set",
    });
  });

  test.each([0, 6])("%d webhooks are refused, five are not", async (count) => {
    const webhooks = (length: number) =>
      Array.from({ length }, (_, index) => ({ url: `https://example.com/${index}` }));
    const answer = await control.ask("/v1/destinations", {
      body: destination({ webhooks: webhooks(count) }),
    });
    expect(answer.status).toBe(422);
    expect(Object.keys(problemFields(answer))).toEqual(["webhooks"]);
    expect((await create({ webhooks: webhooks(5) })).webhooks).toHaveLength(5);
  });

  test("has labels, which a patch changes one by one", async () => {
    const { id, labels } = await create({ labels: { team: "growth", env: "live" } });
    expect(labels).toEqual({ env: "live", team: "growth" });
    expect((await patch(id, { labels: { env: null, tier: "1" } })).body.labels).toEqual({
      team: "growth",
      tier: "1",
    });
    expect((await patch(id, { enabled: true })).body.labels).toEqual({ team: "growth", tier: "1" });
    expect(problemFields(await patch(id, { labels: { "a b": "x" } }))).toEqual({
      "labels.a b": expect.stringContaining("is not of this form"),
    });
    for (const control of ["\u0000", "\n", "\u007f", "\u0085"])
      expect(problemFields(await patch(id, { labels: { tier: `a${control}` } }))).toEqual({
        "labels.tier": expect.stringContaining("No control characters"),
      });
    expect((await patch(id, { labels: { tier: "größer \u00a0 🙂" } })).status).toBe(200);
  });

  test("a patch changes what it names and keeps the rest, secrets included", async () => {
    const { id } = await create({
      sharedSecret: "s3cr3t",
      webhooks: [{ url: "https://example.com/a", headers: { "X-Key": "top-secret" } }],
    });
    const { status, body } = await patch(id, { enabled: true, name: "New" });
    expect(status).toBe(200);
    expect(body).toMatchObject({ enabled: true, name: "New", sharedSecretSet: true, sourceIds: [sourceId] });
    expect((await stored(id)).clear).toEqual(["s3cr3t", "top-secret"]);
  });

  test("a secret is replaced by a string and removed by null; call types are opened again by null", async () => {
    const { id } = await create({ sharedSecret: "first", callTypes: ["track"] });
    await patch(id, { sharedSecret: "second" });
    expect((await stored(id)).clear).toEqual(["second"]);
    const { body } = await patch(id, { sharedSecret: null, callTypes: null });
    expect(body).toMatchObject({ sharedSecretSet: false, callTypes: null });
    expect((await stored(id)).config.sharedSecret).toBeNull();
  });

  test("a masked header value that is sent back keeps the stored value, also when other things move", async () => {
    const { id } = await create({
      webhooks: [
        { url: "https://example.com/a", headers: { "X-Key": "key of a", "X-Old": "old" } },
        { url: "https://example.com/b", headers: { "X-Key": "key of b" } },
      ],
    });
    const { status } = await patch(id, {
      webhooks: [
        { url: "https://example.com/b", headers: { "x-key": MASK, "X-New": "new" }, breaker: CLOSED },
        { url: "https://EXAMPLE.com/a", headers: { "X-Key": MASK } },
      ],
    });
    expect(status).toBe(200);
    const { config, clear } = await stored(id);
    expect(clear).toEqual(["", "key of b", "new", "key of a"]);
    expect(config.webhooks.map(({ headers }) => headers.map(({ name }) => name))).toEqual([
      ["x-key", "X-New"],
      ["X-Key"],
    ]);
  });

  test("webhooks keep their ids while others come, go and move, and can be sent back as they were read", async () => {
    const [a, b, c] = ["a", "b", "c"].map((name) => `https://example.com/${name}`);
    const created = await create({ webhooks: [{ url: a, headers: { "X-Key": "key" } }, { url: b }] });
    const [first, second] = created.webhooks;
    const answer = await patch(created.id, { webhooks: [{ url: c }, second, { ...first, url: a }] });
    expect(answer.status).toBe(200);
    expect(answer.body.webhooks.slice(1)).toEqual([second, first]);
    const ids = [...answer.body.webhooks, first].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(3);
    expect((await stored(created.id)).clear).toEqual(["", "key"]);
  });

  test("a mask never moves a stored value to another URL or header, nor is it taken for a value", async () => {
    const { id } = await create({
      webhooks: [{ url: "https://example.com/a", headers: { "X-Key": "top-secret" } }],
    });
    const moved = await patch(id, {
      webhooks: [
        { url: "https://elsewhere.example/a", headers: { "X-Key": MASK } },
        { url: "https://example.com/a", headers: { "X-Other": MASK } },
      ],
    });
    expect(moved.status).toBe(422);
    expect(Object.keys(problemFields(moved))).toEqual([
      "webhooks[0].headers.X-Key",
      "webhooks[1].headers.X-Other",
    ]);
    expect(problemFields(moved)["webhooks[0].headers.X-Key"]).toContain("give the value");
    const fresh = await control.ask("/v1/destinations", {
      body: destination({ webhooks: [{ url: "https://example.com/a", headers: { "X-Key": MASK } }] }),
    });
    expect(fresh.status).toBe(422);
  });

  test("sources of a patch must exist; none at all disconnects the destination", async () => {
    const { id } = await create();
    expect(problemFields(await patch(id, { sourceIds: ["nope"] }))).toEqual({
      "sourceIds[0]": "is not the id of a source",
    });
    expect((await patch(id, { sourceIds: [] })).body.sourceIds).toEqual([]);
  });

  test("the built-in source of audiences is there without being made", async () => {
    const { id } = await create();
    expect((await patch(id, { sourceIds: ["spa_default"] })).body.sourceIds).toEqual(["spa_default"]);
  });

  test("patches at the same time all take effect", async () => {
    const { id } = await create();
    const answers = await Promise.all([
      patch(id, { name: "Together" }),
      patch(id, { enabled: true }),
      patch(id, { callTypes: ["page"] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await control.ask(`/v1/destinations/${id}`)).body).toMatchObject({
      name: "Together",
      enabled: true,
      callTypes: ["page"],
    });
    expect((await stored(id)).config.version).toBe(4);
  });

  test("a deleted destination is gone for the API and for whoever reads the topic", async () => {
    const { id } = await create();
    expect((await control.ask(`/v1/destinations/${id}`, { method: "DELETE" })).status).toBe(204);
    expect((await control.ask(`/v1/destinations/${id}`)).status).toBe(404);
    expect((await patch(id, { name: "x" })).status).toBe(404);
    await expect(stored(id)).rejects.toThrow("no record");
  });

  test("another process sees the change within a second (contract 10.1)", async () => {
    const other = await startControl({ stack: control.stack, prefix: control.prefix, keys: control.keys });
    try {
      const msUntilSeen = async (): Promise<number> => {
        const { id } = await create({ name: "Seen" });
        const get = () => other.ask(`/v1/destinations/${id}`);
        const isSeen = async () => (await get()).status === 200;
        const ms = await msOf(() => until(isSeen, { timeoutMs: 30_000, what: "the change", pollMs: 10 }));
        expect((await get()).body).toMatchObject({ id, name: "Seen" });
        return ms;
      };
      expect(await shortest(msUntilSeen)).toBeLessThan(1_000);
    } finally {
      await other.stop();
    }
  });

  test("after a key rotation what the old key encrypted is still there, and any change brings it under the new one", async () => {
    const rotating = await startControl();
    const { stack, prefix, keys: oldKey } = rotating;
    const source = (await rotating.ask("/v1/sources", { body: { name: "Web" } })).body.id;
    const { id } = (
      await rotating.ask("/v1/destinations", {
        body: {
          name: "D",
          sourceIds: [source],
          sharedSecret: "s3cr3t",
          webhooks: [{ url: "https://example.com/", headers: { "X-Key": "top-secret" } }],
        },
      })
    ).body;
    await rotating.stop();
    const newKey = newEncryptionKey("k2");
    const rotated = await startControl({ stack, prefix, keys: `${newKey},${oldKey}` });
    try {
      expect((await stored(id, rotated)).config.sharedSecret?.keyId).toBe("k1");
      expect((await rotated.ask(`/v1/destinations/${id}`, { method: "PATCH", body: {} })).status).toBe(200);
      const { config, clear } = await stored(id, { ...rotated, keys: newKey });
      expect(clear).toEqual(["s3cr3t", "top-secret"]);
      expect(config.webhooks[0]?.headers[0]?.value.keyId).toBe("k2");
    } finally {
      await rotated.stop();
    }
  });
});
