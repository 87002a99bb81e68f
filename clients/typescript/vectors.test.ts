// The vectors that all clients share (contract 9.4, 9.6).
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { Acceptance } from "./acceptance.ts";
import type { Client } from "./client.ts";
import type { CallType } from "./messages.ts";
import { World } from "./testing/world.ts";

type Call = { readonly type: CallType } & Readonly<Record<string, unknown>>;

interface Requests {
  readonly writeKey: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly cases: readonly {
    readonly name: string;
    readonly context: object;
    readonly sentAt: string;
    readonly calls: readonly Call[];
    readonly body: string;
  }[];
}
interface Limits {
  readonly context: object;
  readonly sentAt: string;
  readonly message: Call;
  readonly messages: readonly { readonly bytes: number; readonly pad: string; readonly accepted: boolean }[];
  readonly batches: readonly {
    readonly messages: readonly number[];
    readonly requests: readonly { readonly messages: number; readonly bytes?: number }[];
  }[];
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, "../vectors", name), "utf8")) as T;
}

const requests = read<Requests>("requests.json");
const limits = read<Limits>("limits.json");

/** A client that sends at one fixed time, everything with its close. */
function fixed(sentAt: string, context: object): { world: World; client: Client } {
  const world = new World();
  Object.assign(world.host, { nowMs: () => Date.parse(sentAt) });
  const options = { endpoint: "http://ingest", flushAt: 100, context };
  return { world, client: world.client(options, requests.writeKey) };
}

function send(client: Client, call: Call): Acceptance {
  const calls = client as unknown as Record<CallType, (call: Call) => Acceptance>;
  return calls[call.type](call);
}

/** The vectors' message with so many bytes as JSON. */
function padded(bytes: number, pad: string): Call {
  const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
  const left = bytes - sizeOf(limits.message);
  const padBytes = sizeOf(pad) - '""'.length;
  const text = pad.repeat(Math.floor(left / padBytes)) + "x".repeat(left % padBytes);
  return { ...limits.message, properties: { pad: text } };
}

test.each(requests.cases)("requests.json: $name", async ({ context, sentAt, calls, body }) => {
  const { world, client } = fixed(sentAt, context);
  for (const call of calls) expect(send(client, call)).toMatchObject({ ok: true });
  expect(await world.until(client.close())).toEqual({ ok: true });
  expect(world.requests).toHaveLength(1);
  expect(world.requests[0]?.body).toBe(body);
  expect(world.requests[0]?.url).toBe(`http://ingest${requests.path}`);
  expect(world.requests[0]?.headers).toMatchObject(requests.headers);
});

describe("limits.json:", () => {
  test.each(limits.messages)("a call of $bytes bytes padded with $pad", async ({ bytes, pad, accepted }) => {
    const { world, client } = fixed(limits.sentAt, limits.context);
    const acceptance = send(client, padded(bytes, pad));
    expect(acceptance).toMatchObject(accepted ? { ok: true } : { ok: false, reason: "message_too_large" });
    await world.until(client.close());
    expect(world.sizes).toEqual(accepted ? [1] : []);
  });

  test.each(limits.batches)("batches of $requests", async ({ messages, requests: wanted }) => {
    const { world, client } = fixed(limits.sentAt, limits.context);
    for (const bytes of messages) expect(send(client, padded(bytes, "x")).ok).toBe(true);
    await world.until(client.close());
    expect(world.sizes).toEqual(wanted.map((request) => request.messages));
    for (const [index, { bytes }] of wanted.entries()) {
      const size = Buffer.byteLength(world.requests[index]?.body ?? "");
      expect(size).toBe(bytes ?? size);
      expect(size).toBeLessThanOrEqual(512_000);
    }
  });
});
