import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { type RegistryProxy, type SchemaAnswer, startRegistryProxy } from "#support/registry-proxy";
import { useStack } from "#support/stack";
import { allTopics, type Topic, topicMap } from "#topics";
import type { RawSchema } from "./avro.ts";
import { createSerde, type Serde, type SerdeOptions } from "./index.ts";

const OLD: RawSchema = {
  type: "record",
  name: "SourceConfig",
  namespace: "hookline",
  fields: [
    { name: "id", type: "string" },
    { name: "gone", type: { type: "array", items: "string" }, default: [] },
  ],
};
const NEW: RawSchema = {
  type: "record",
  name: "SourceConfig",
  namespace: "hookline",
  fields: [
    { name: "id", type: "string" },
    { name: "note", type: ["null", "string"], default: null },
    { name: "version", type: "long", default: 7 },
  ],
};
const INCOMPATIBLE: RawSchema = {
  type: "record",
  name: "SourceConfig",
  namespace: "hookline",
  fields: [
    { name: "id", type: "string" },
    { name: "needed", type: "string" },
  ],
};

const source = {
  id: "src1",
  name: "web",
  enabled: true,
  labels: {},
  writeKeys: ["k1"],
  version: 1,
  createdAtMs: 2 ** 41,
  updatedAtMs: 2 ** 41,
};

let registryUrl: string;
const opened: Serde[] = [];

function map() {
  return topicMap({ prefix: `t${randomBytes(6).toString("hex")}-`, retryDelaysMs: [1_000] });
}

function open(topics: readonly Topic[], more: Partial<SerdeOptions> = {}): Serde {
  const serde = createSerde({ registryUrl, topics, ...more });
  opened.push(serde);
  return serde;
}

/** A serde that writes or reads `topic` with another schema than the one in schemas/. */
function version(topic: Topic, schema: RawSchema): Serde {
  return open([topic], { schemaOf: () => schema });
}

function framed(schemaId: number, body: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt32BE(schemaId, 1);
  return Buffer.concat([header, body]);
}

beforeAll(async () => {
  ({ registryUrl } = await useStack());
});
afterAll(() => {
  for (const serde of opened) serde.close();
});

describe("the serde on a real registry", () => {
  test("every topic's schema is registered once, and a second time changes nothing", async () => {
    const topics = allTopics(map());
    const first = await open(topics).register();
    const second = await open(topics).register();
    expect(first.map(({ subject }) => subject)).toEqual(topics.map(({ name }) => `${name}-value`));
    expect(first.every(({ added }) => added)).toBe(true);
    expect(second).toEqual(first.map((subject) => ({ ...subject, added: false })));
  });

  test("a subject whose compatibility was set otherwise is set back to BACKWARD", async () => {
    const { sourceConfig } = map();
    const config = `${registryUrl}/config/${sourceConfig.name}-value`;
    const body = JSON.stringify({ compatibility: "NONE" });
    await open([sourceConfig]).register();
    await fetch(config, { method: "PUT", headers: { "content-type": "application/json" }, body });
    await open([sourceConfig]).register();
    expect(await (await fetch(config)).json()).toEqual({ compatibilityLevel: "BACKWARD" });
  });

  test("a service that only starts encodes with the provisioned schema, and its record comes back equal", async () => {
    const { sourceConfig } = map();
    await open([sourceConfig]).register();
    const serde = open([sourceConfig]);
    await serde.start();
    const bytes = serde.encode(sourceConfig, source);
    expect({ ...(await serde.decode(sourceConfig, bytes)) }).toEqual(source);
  });

  test("decoding is a promise until the writer's schema is known, and synchronous from then on", async () => {
    const { sourceConfig } = map();
    const writer = open([sourceConfig]);
    await writer.register();
    const bytes = writer.encode(sourceConfig, source);
    const reader = open([sourceConfig]);
    const first = reader.decode(sourceConfig, bytes);
    expect(typeof (first as Promise<unknown>).then).toBe("function");
    await first;
    expect(reader.decode(sourceConfig, bytes)).toMatchObject({ id: "src1", writeKeys: ["k1"] });
  });

  test("a new reader reads what an old writer wrote, with defaults for what it lacks and without what is gone", async () => {
    const { sourceConfig } = map();
    const writer = version(sourceConfig, OLD);
    await writer.register();
    const bytes = writer.encode(sourceConfig, { ...source, ...{ gone: ["x", "y"] } });
    const reader = version(sourceConfig, NEW);
    expect(await reader.register()).toMatchObject([{ added: true }]);
    expect({ ...(await reader.decode(sourceConfig, bytes)) }).toEqual({ id: "src1", note: null, version: 7 });
  });

  test("some of the fields can be read alone, also of what an old writer wrote; after that all of them synchronously", async () => {
    const { sourceConfig } = map();
    const writer = version(sourceConfig, OLD);
    await writer.register();
    const bytes = writer.encode(sourceConfig, { ...source, ...{ gone: ["x", "y"] } });
    const reader = version(sourceConfig, NEW);
    await reader.register();
    const some = reader.decodeFields(sourceConfig, ["version"]);
    expect({ ...(await some(bytes)) }).toEqual({ version: 7 });
    expect(reader.decode(sourceConfig, bytes)).toMatchObject({ id: "src1" });
    const none = reader.decodeFields(sourceConfig, []);
    expect({ ...(await none(bytes)) }).toEqual({});
  });

  test("a schema that cannot read the older records is refused", async () => {
    const { sourceConfig } = map();
    await version(sourceConfig, OLD).register();
    await expect(version(sourceConfig, INCOMPATIBLE).register()).rejects.toMatchObject({
      name: "IncompatibleSchemaError",
      canRetry: false,
    });
  });

  test("a service waits with its start until its schemas are provisioned", async () => {
    const { sourceConfig } = map();
    const heard: string[] = [];
    const serde = open([sourceConfig], {
      onUnavailable: (error) => {
        heard.push(error.message);
        if (heard.length === 1) void open([sourceConfig]).register();
      },
    });
    await serde.start();
    expect(heard[0]).toContain("provision");
    expect(serde.encode(sourceConfig, source).length).toBeGreaterThan(5);
  });
});

describe("records that no waiting makes readable", () => {
  let topic: ReturnType<typeof map>["sourceConfig"];
  let serde: Serde;
  let good: Buffer;

  beforeAll(async () => {
    topic = map().sourceConfig;
    serde = open([topic]);
    await serde.register();
    good = serde.encode(topic, source);
    await serde.decode(topic, good);
  });

  const decode = async (bytes: Buffer | null) => await serde.decode(topic, bytes);
  const decodeNothing = async (bytes: Buffer | null) => await serde.decodeFields(topic, [])(bytes);

  test("a value without the wire format is not_avro", async () => {
    await expect(decode(Buffer.from('{"id":1}'))).rejects.toMatchObject({ code: "not_avro" });
    await expect(decode(Buffer.alloc(0))).rejects.toMatchObject({ code: "not_avro" });
  });

  test("a tombstone is not_avro, read whole or in part", async () => {
    await expect(decode(null)).rejects.toMatchObject({ name: "PoisonRecordError", code: "not_avro" });
    await expect(decodeNothing(null)).rejects.toMatchObject({ name: "PoisonRecordError", code: "not_avro" });
  });

  test("a schema of something else is incompatible_schema", async () => {
    const other = map().calls;
    const [registered] = await open([other]).register();
    const bytes = framed(registered?.schemaId ?? 0, Buffer.alloc(8));
    await expect(decode(bytes)).rejects.toMatchObject({ code: "incompatible_schema" });
  });

  test("every shortened record is truncated, wherever it ends", async () => {
    for (let length = 1; length < good.length; length += 1) {
      await expect(decode(good.subarray(0, length))).rejects.toMatchObject({ code: "truncated" });
      await expect(decodeNothing(good.subarray(0, length))).rejects.toMatchObject({ code: "truncated" });
    }
  });

  test("bytes after the record are garbage", async () => {
    const longer = Buffer.concat([good, Buffer.from([0])]);
    await expect(decode(longer)).rejects.toMatchObject({ code: "garbage" });
    await expect(decodeNothing(longer)).rejects.toMatchObject({ code: "garbage" });
  });

  test("ten thousand records of random bytes end at once, and none ends otherwise than readable or poison", async () => {
    const schemaId = good.readUInt32BE(1);
    const codes = new Set<string>();
    for (let run = 0; run < 10_000; run += 1) {
      const outcome = await decode(framed(schemaId, randomBytes(1 + (run % 40)))).then(
        () => "read",
        (error: { name: string; code: string }) => `${error.name} ${error.code}`,
      );
      codes.add(outcome);
    }
    const skip = serde.decodeFields(topic, []);
    await skip(good);
    for (let run = 0; run < 10_000; run += 1) {
      try {
        void skip(framed(schemaId, randomBytes(1 + (run % 40))));
      } catch (error) {
        const { name, code } = error as { name: string; code: string };
        codes.add(`${name} ${code}`);
      }
    }
    const allowed = ["read", "PoisonRecordError garbage", "PoisonRecordError truncated"];
    expect([...codes].filter((code) => !allowed.includes(code))).toEqual([]);
  });

  test("an announced billion of elements neither loops nor allocates", async () => {
    const schemaId = good.readUInt32BE(1);
    const billion = Buffer.from([0x80, 0xa8, 0xd6, 0xb9, 0x07]);
    const body = Buffer.concat([Buffer.from([0, 0, 1]), billion, billion]);
    await expect(decode(framed(schemaId, body))).rejects.toMatchObject({ code: "truncated" });
    await expect(decodeNothing(framed(schemaId, body))).rejects.toMatchObject({ code: "truncated" });
  });

  test("a skipped block that says it lies before itself does not loop", async () => {
    const schemaId = good.readUInt32BE(1);
    // One element, of minus twenty bytes, and the element.
    const block = Buffer.from([0x01, 0x27, 0x02, 0x78]);
    const body = Buffer.concat([Buffer.from([0, 0, 1]), block]);
    await expect(decodeNothing(framed(schemaId, body))).rejects.toMatchObject({ code: "truncated" });
  });
});

describe("a registry that does not answer", () => {
  let registry: RegistryProxy;
  beforeAll(async () => {
    registry = await startRegistryProxy(registryUrl, "/");
  });
  afterAll(() => registry.close());

  async function written() {
    const topic = map().sourceConfig;
    const writer = open([topic]);
    await writer.register();
    return { topic, bytes: writer.encode(topic, source) };
  }

  test("a record is no poison while the registry is away; it is read once the registry is back, by one request", async () => {
    const { topic, bytes } = await written();
    registry.answer = "refuse";
    registry.requests = 0;
    let heard = 0;
    const reader = open([topic], {
      registryUrl: registry.url,
      onUnavailable: (error) => {
        expect(error).toMatchObject({ name: "RegistryUnavailableError", canRetry: true });
        heard += 1;
        if (heard === 2) registry.answer = "pass";
      },
    });
    const decoded = await Promise.all([1, 2, 3].map(() => reader.decode(topic, bytes)));
    expect(decoded.map(({ id }) => id)).toEqual(["src1", "src1", "src1"]);
    expect({ heard, requests: registry.requests }).toEqual({ heard: 2, requests: 3 });
  });

  test.each<[SchemaAnswer, string]>([
    ["not found page", "status 404 and no answer of a schema registry"],
    ["page", "status 200 and no answer of a schema registry"],
    ["other json", "status 200 and no answer of a schema registry"],
    ["unknown id", "needs its old schemas back"],
  ])("an answer of the kind %s condemns no record, and what is said names it", async (kind, said) => {
    const { topic, bytes } = await written();
    registry.answer = kind;
    const heard: string[] = [];
    const reader = open([topic], {
      registryUrl: registry.url,
      onUnavailable({ message }) {
        heard.push(message);
        if (heard.length === 2) registry.answer = "pass";
      },
    });
    expect(await reader.decode(topic, bytes)).toMatchObject({ id: "src1" });
    expect(heard).toEqual([expect.stringContaining(said), expect.stringContaining(said)]);
  });

  test.each<SchemaAnswer>(["page", "other json"])(
    "a service does not start on an answer of the kind %s, and provisioning takes it for no success",
    async (kind) => {
      const { topic } = await written();
      registry.answer = kind;
      const serde = open([topic], {
        registryUrl: registry.url,
        onUnavailable: () => (registry.answer = "pass"),
      });
      await expect(serde.register()).rejects.toMatchObject({ name: "RegistryUnavailableError" });
      registry.answer = kind;
      await serde.start();
      expect(registry.answer).toBe("pass");
      expect(serde.encode(topic, source).length).toBeGreaterThan(5);
    },
  );

  test("closing ends the waiting with a RegistryUnavailableError", async () => {
    const { topic, bytes } = await written();
    registry.answer = "refuse";
    const reader = open([topic], { registryUrl: registry.url, onUnavailable: () => reader.close() });
    await expect(reader.decode(topic, bytes)).rejects.toMatchObject({ name: "RegistryUnavailableError" });
  });

  test("provisioning hears at once that the registry is away", async () => {
    registry.answer = "refuse";
    const serde = open([map().sourceConfig], { registryUrl: registry.url });
    await expect(serde.register()).rejects.toMatchObject({ name: "RegistryUnavailableError" });
  });

  test("records of a schema id that is unknown wait together, on one request after the other", async () => {
    const { topic, bytes } = await written();
    registry.answer = "unknown id";
    registry.requests = 0;
    const reader = open([topic], {
      registryUrl: registry.url,
      onUnavailable: () => (registry.answer = "pass"),
    });
    const decoded = await Promise.all(Array.from({ length: 5 }, () => reader.decode(topic, bytes)));
    expect(decoded).toHaveLength(5);
    expect(registry.requests).toBe(3); // one that is answered with 404, one to learn why, one when it is there
  });

  test("a schema that cannot be read is asked for once, not for every record", async () => {
    const { topic } = await written();
    const other = map().calls;
    const [registered] = await open([other]).register();
    registry.answer = "pass";
    const reader = open([topic], { registryUrl: registry.url });
    registry.requests = 0;
    const decode = async () => await reader.decode(topic, framed(registered?.schemaId ?? 0, Buffer.alloc(4)));
    for (let run = 0; run < 5; run += 1)
      await expect(decode()).rejects.toMatchObject({ code: "incompatible_schema" });
    expect(registry.requests).toBe(1);
  });
});
