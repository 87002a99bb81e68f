import { expect, test } from "@jest/globals";
import { newUuid, realHost } from "./host.ts";
import { Hookline, OptionError, type Options } from "./index.ts";
import { status, World } from "./testing/world.ts";

const WRONG: [options: Options, option: string][] = [
  [{ flushAt: 0 }, "flushAt"],
  [{ size: -1 }, "size"],
  [{ timeoutMs: Number.NaN }, "timeoutMs"],
  [{ concurrency: "2" as never }, "concurrency"],
  [{ queueBytes: 511_999 }, "queueBytes"],
  [{ endpoint: "calls.example.com" }, "endpoint"],
  [{ endpoint: "ftp://calls.example.com" }, "endpoint"],
  [{ endpoint: "https://u:secret@calls.example.com" }, "endpoint"],
  [{ context: { pad: "x".repeat(4_096) } }, "context"],
  [{ context: { big: 1n } }, "context"],
];

test.each(WRONG)("new Hookline with a wrong option names it (%#)", (options, option) => {
  const create = (): Hookline => new Hookline("key", options);
  expect(create).toThrow(OptionError);
  expect(create).toThrow(expect.objectContaining({ option }));
  expect(create).not.toThrow(/secret/);
});

test("a client without a write key is refused", () => {
  expect(() => new Hookline("")).toThrow(/write key/);
});

test.each([
  ["https://calls.example.com", "https://calls.example.com/v1/batch"],
  ["https://calls.example.com/", "https://calls.example.com/v1/batch"],
  ["https://example.com/calls//", "https://example.com/calls/v1/batch"],
  ["https://example.com/v1/import", "https://example.com/v1/import"],
  ["https://example.com/v1/batch/", "https://example.com/v1/batch"],
])("requests to %s go to %s", async (endpoint, url) => {
  const world = new World();
  const client = world.client({ endpoint });
  client.identify({ userId: "u" });
  await world.until(client.close());
  expect(world.requests[0]?.url).toBe(url);
});

test("a client names itself, in a browser only in the body", async () => {
  for (const isPage of [false, true]) {
    const world = new World({ isPage });
    const client = world.client({}, "ключ");
    client.identify({ userId: "u" });
    await world.until(client.close());
    const { headers, body } = world.requests[0] ?? {};
    expect(headers?.["user-agent"]).toBe(isPage ? undefined : "hookline-typescript/0.1.0");
    expect(body).toContain('"context":{"library":{"name":"hookline-typescript","version":"0.1.0"}}');
    expect(headers?.["authorization"]).toBe(`Basic ${Buffer.from("ключ:").toString("base64")}`);
  }
});

test("debug logs what the client does, and no message's content", async () => {
  const world = new World();
  world.answers.push(status(503));
  const client = world.client({ debug: true });
  client.identify({ userId: "u", traits: { name: "secret" } });
  client.identify({} as never);
  await world.until(client.close());
  expect(world.lines).toEqual([
    "hookline: queued identify id-1",
    "hookline: identify: userId or anonymousId is required",
    "hookline: 1 messages wait 75 ms after try 1: the endpoint answered 503",
    "hookline: 1 messages delivered",
  ]);
});

test("ids are UUIDs, also where randomUUID is missing", () => {
  const pattern = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  expect(newUuid({ getRandomValues: (bytes) => bytes.fill(255) })).toBe(
    "ffffffff-ffff-4fff-bfff-ffffffffffff",
  );
  expect(newUuid({ getRandomValues: (bytes) => crypto.getRandomValues(bytes) })).toMatch(pattern);
  expect(realHost().newId()).toMatch(pattern);
});

test("a time may be as long as one likes: its timer does not ring at once", async () => {
  const { clearTimer, setTimer } = realHost();
  const rang: number[] = [];
  const timers = [Number.POSITIVE_INFINITY, 2 ** 31].map((ms) => setTimer(() => rang.push(ms), ms));
  await new Promise<void>((resolve) => setTimer(resolve, 2));
  for (const timer of timers) clearTimer(timer);
  expect(rang).toEqual([]);
});
