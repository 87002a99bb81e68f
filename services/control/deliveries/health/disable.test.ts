import { describe, expect, test } from "@jest/globals";
import { destination } from "#support/records";
import type { DestinationConfig, DestinationHealth } from "#topics";
import { disabled, disableReason } from "./disable.ts";

const HOUR_MS = 3_600_000;
const URL = "https://a.example/";

function config(changes: Partial<DestinationConfig> = {}): DestinationConfig {
  const webhooks = [{ url: URL, headers: [] }];
  return destination({ id: "d", version: 3, disableAfterMs: 2 * HOUR_MS, webhooks, ...changes });
}

/** Failing from the start to this hour. */
function failedFor(hours: number, outcome: string = "timeout"): DestinationHealth {
  const lastAtMs = hours * HOUR_MS;
  const webhook = { url: URL, sinceMs: 0, failures: 9, lastAtMs, outcome, status: null, message: "" };
  return {
    destinationId: "d",
    state: "failing",
    sinceMs: 0,
    webhooks: [webhook],
    urls: [],
    attemptOffset: 9,
    attemptAtMs: lastAtMs,
  };
}

describe("a destination is switched off (contract 4.5)", () => {
  test("when it failed for as long as its owner said, and says so", () => {
    expect(disableReason(config(), failedFor(2))).toBe(
      "every attempt failed for 2h, since 1970-01-01T00:00:00.000Z: timeout",
    );
  });

  test.each<[string, Partial<DestinationConfig>, DestinationHealth]>([
    ["without being asked to", { disableAfterMs: null }, failedFor(99)],
    ["before the time", {}, failedFor(1.99)],
    ["twice", { enabled: false }, failedFor(2)],
    ["for failure from before it was switched on", { enabledAtMs: HOUR_MS }, failedFor(2.5)],
    ["while one of its webhooks works", { webhooks: [URL, "https://b/"].map(webhookOf) }, failedFor(2)],
    ["because a key of ours is missing", {}, failedFor(2, "secret_unreadable")],
  ])("never %s", (_name, changes, health) => {
    expect(disableReason(config(changes), health)).toBeUndefined();
  });

  test("as one more version of what it was", () => {
    expect(disabled(config(), "because", 7)).toEqual({
      ...config(),
      enabled: false,
      disabledReason: "because",
      version: 4,
      updatedAtMs: 7,
    });
  });
});

function webhookOf(url: string) {
  return { url, headers: [] };
}
