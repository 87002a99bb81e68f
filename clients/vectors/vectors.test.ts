// The vectors that all clients share, held against this product's own rules and against the TypeScript helper. The Go client's
// tests read the same files.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { acceptCall, MAX_BATCH_BYTES, MAX_CALL_BYTES } from "../../packages/contract/index.ts";
import { verifySignature, verifyStandardWebhook } from "../typescript/webhooks/index.ts";

function read<T>(name: string): T {
  return JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8")) as T;
}

interface Receiving {
  readonly name: string;
  readonly body: string;
  readonly secrets: readonly string[];
  readonly valid: boolean;
  readonly reason?: string;
}
interface Call {
  readonly type: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}
interface Requests {
  readonly cases: readonly {
    readonly name: string;
    readonly context: unknown;
    readonly sentAt: string;
    readonly calls: readonly Call[];
    readonly body: string;
  }[];
}
interface Limits {
  readonly context: unknown;
  readonly sentAt: string;
  readonly message: Call;
  readonly messages: readonly { readonly bytes: number; readonly pad: string; readonly accepted: boolean }[];
  readonly batches: readonly {
    readonly messages: readonly number[];
    readonly requests: readonly { readonly messages: number; readonly bytes?: number }[];
  }[];
}

const { cases: requests } = read<Requests>("requests.json");
const { cases: signatures } = read<{ cases: (Receiving & { header: string })[] }>("signatures.json");
const { cases: standard } = read<{
  cases: (Receiving & {
    headers: Record<string, string>;
    nowSeconds: number;
    toleranceSeconds?: number;
    messageId?: string;
  })[];
}>("standard-webhooks.json");
const limits = read<Limits>("limits.json");

const isAccepted = (call: unknown): boolean =>
  acceptCall(call, { receivedAtMs: 0, newMessageId: () => "m" }).ok;
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The vectors' message with so many bytes as JSON. */
function padded(bytes: number, pad: string): Call {
  const left = bytes - sizeOf(limits.message);
  const padBytes = sizeOf(pad) - '""'.length;
  const text = pad.repeat(Math.floor(left / padBytes)) + "x".repeat(left % padBytes);
  return { ...limits.message, properties: { pad: text } };
}

describe("requests.json (contract 9.6)", () => {
  test.each(requests)("$name: is what JSON.stringify makes of the calls, and stays so", (one) => {
    expect(JSON.stringify({ batch: one.calls, context: one.context, sentAt: one.sentAt })).toBe(one.body);
    expect(JSON.stringify(JSON.parse(one.body))).toBe(one.body);
    expect(one.calls.every(isAccepted)).toBe(true);
  });
});

describe("limits.json (contract 9.4) says what the server says", () => {
  test.each(limits.messages)("of a call of $bytes bytes padded with $pad", ({ bytes, pad, accepted }) => {
    const call = padded(bytes, pad);
    expect(sizeOf(call)).toBe(bytes);
    expect(isAccepted(call)).toBe(accepted);
    expect(bytes <= MAX_CALL_BYTES).toBe(accepted);
  });

  test("of batches: none has more than the limit, and one more message or byte would not fit", () => {
    for (const { messages, requests: wanted } of limits.batches) {
      const batch = messages.map((bytes) => padded(bytes, "x"));
      const whole = sizeOf({ batch, context: limits.context, sentAt: limits.sentAt });
      expect(wanted).toHaveLength(whole <= MAX_BATCH_BYTES ? 1 : 2);
      expect(wanted[0]?.bytes ?? whole).toBe(whole);
    }
  });
});

test.each(signatures)("signatures.json: $name", ({ body, secrets, header, valid, reason }) => {
  expect(verifySignature(body, header, secrets)).toEqual(valid ? { ok: true } : { ok: false, reason });
});

test.each(standard)("standard-webhooks.json: $name", (one) => {
  const { body, headers, secrets, nowSeconds, toleranceSeconds, valid, reason, messageId } = one;
  const options = {
    nowMs: nowSeconds * 1_000,
    ...(toleranceSeconds !== undefined && { toleranceSeconds }),
  };
  const { ok, ...said } = verifyStandardWebhook(body, headers, secrets, options);
  expect(ok).toBe(valid);
  expect(said).toMatchObject(valid ? { messageId } : { reason });
});
