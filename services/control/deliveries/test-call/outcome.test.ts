import { describe, expect, test } from "@jest/globals";
import type { RequestFailure } from "#contract";
import { createMask } from "#secrets";
import { CAPTURED_BYTES, outcomeView } from "./outcome.ts";

const SECRET = 'a "long" secret/with what needs escapes';
const options = { destinationId: "d1", url: "https://in.test/", hide: createMask([SECRET]), nowMs: 0 };

function failed(failure: RequestFailure, message: string, durationMs: number) {
  return outcomeView({ kind: "failure", failure, message, durationMs }, options);
}

function answered(body: string) {
  const result = { kind: "response", status: 500, retryAfter: undefined, durationMs: 1 } as const;
  return outcomeView({ ...result, body: Buffer.from(body) }, options).response;
}

describe("what a test call shows (contract 10.4)", () => {
  test("a name that is unknown and one that is forbidden look the same, and say no address and no time", () => {
    const unknown = failed("dns", "db.internal cannot be resolved (ENOTFOUND)", 31);
    const forbidden = failed("blocked_address", "db.internal has an address in a private range", 2);
    const literal = failed("blocked_address", "10.1.2.3 is in a private range", 0);
    expect(unknown).toEqual(forbidden);
    expect(literal).toEqual(forbidden);
    expect(forbidden).toMatchObject({ reason: "no_usable_address", status: null, durationMs: 0 });
    expect(JSON.stringify(forbidden)).not.toMatch(/internal|10\.1|private range,|ENOTFOUND/);
  });

  test.each<[string, string]>([
    ["JSON", JSON.stringify({ you: { sent: SECRET } })],
    ["base64", `Basic ${Buffer.from(SECRET).toString("base64")}`],
    ["base64url of more", Buffer.from(`user:${SECRET}`).toString("base64url")],
    ["a query", `/callback?key=${encodeURIComponent(SECRET)}`],
    ["a form", new URLSearchParams({ key: SECRET }).toString()],
  ])("no secret that comes back in %s", (_what, body) => {
    expect(answered(body)).toContain("********");
  });

  test("no beginning of the longest form that the end of what is shown cuts", () => {
    const longest = encodeURIComponent("<".repeat(4_096));
    const hide = createMask(["<".repeat(4_096)]);
    const body = `${"x".repeat(1_020)}${longest}`.slice(0, CAPTURED_BYTES);
    const result = { kind: "response", status: 500, retryAfter: undefined, durationMs: 1 } as const;
    const { response } = outcomeView({ ...result, body: Buffer.from(body) }, { ...options, hide });
    expect(response).toBe(`${"x".repeat(1_020)}****`);
  });
});
