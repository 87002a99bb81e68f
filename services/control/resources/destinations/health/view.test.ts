import { describe, expect, test } from "@jest/globals";
import { destination as destinationRecord } from "#support/records";
import type { DestinationConfig, DestinationHealth } from "#topics";
import { healthView as viewOf } from "./view.ts";

const AT_MS = Date.UTC(2026, 0, 1);
const [ONE, OTHER] = ["https://a.test/services/XXXX-secret", "https://b.test/services/YYYY-secret"];

const destination = (...urls: readonly string[]): DestinationConfig =>
  destinationRecord({ webhooks: urls.map((url) => ({ url, headers: [] })) });

function failing(url: string, lastAtMs: number, failures = 3): DestinationHealth["webhooks"][number] {
  return {
    url,
    sinceMs: AT_MS,
    failures,
    outcome: "http_5xx",
    status: 503,
    message: `it was ${failures}`,
    lastAtMs,
  };
}

function health(...webhooks: DestinationHealth["webhooks"]): DestinationHealth {
  return {
    destinationId: "d1",
    state: "failing",
    sinceMs: AT_MS,
    webhooks,
    attemptAtMs: AT_MS + 9_000,
    urls: [ONE, OTHER],
    attemptOffset: 5,
  } as DestinationHealth;
}

const CLOSED = () => ({ state: "closed" as const });
const healthView = (config: DestinationConfig, written?: DestinationHealth) =>
  viewOf(config, written, CLOSED);
const iso = (atMs: number) => new Date(atMs).toISOString();

describe("the health of a destination", () => {
  test("to which nothing was sent yet is untested", () => {
    expect(healthView(destination(ONE), undefined)).toEqual({
      state: "untested",
      since: null,
      consecutiveFailures: 0,
      lastError: null,
      reasons: [],
    });
  });

  test("says why of each webhook, counts their failures together, and shows the last of them without its path", () => {
    const view = healthView(
      destination(ONE, OTHER),
      health(failing(ONE, AT_MS + 7_000, 3), failing(OTHER, AT_MS + 8_000, 4)),
    );
    expect(view).toMatchObject({ state: "failing", since: iso(AT_MS), consecutiveFailures: 7 });
    expect(view.lastError).toMatchObject({
      at: iso(AT_MS + 8_000),
      url: expect.stringMatching(/^https:\/\/b\.test\//),
      outcome: "http_5xx",
      status: 503,
      message: "it was 4",
    });
    expect(
      view.reasons.map(({ url, consecutiveFailures }) => [url.slice(0, 15), consecutiveFailures]),
    ).toEqual([
      ["https://a.test/", 3],
      ["https://b.test/", 4],
    ]);
    expect(view.reasons[0]).toMatchObject({ since: iso(AT_MS), lastError: { at: iso(AT_MS + 7_000) } });
    expect(JSON.stringify(view)).not.toContain("secret");
  });

  test("counts nothing while one webhook gets calls through, but says what the other one has", () => {
    const view = healthView(destination(ONE, OTHER), health(failing(ONE, AT_MS)));
    expect([view.consecutiveFailures, view.reasons.length]).toEqual([0, 1]);
    expect(view.lastError).not.toBeNull();
  });

  test("leaves out webhooks that it has no more", () => {
    const view = healthView(destination(OTHER), health(failing(ONE, AT_MS)));
    expect(view).toMatchObject({ state: "failing", consecutiveFailures: 0, lastError: null, reasons: [] });
  });

  test("is untested again when every URL was changed", () => {
    const before = { ...health(failing(ONE, AT_MS)), urls: [ONE] };
    expect(healthView(destination(OTHER), before)).toEqual(healthView(destination(OTHER), undefined));
  });

  test("says that calls wait behind breakers while nothing else is known, of each of its webhooks", () => {
    const stateBehind = (behind: readonly string[], written?: DestinationHealth, urls = [ONE, OTHER]) =>
      viewOf(destination(...urls), written, (url) => ({ state: behind.includes(url) ? "open" : "closed" }))
        .state;
    expect(stateBehind([ONE, OTHER])).toBe("breaker_open");
    expect(stateBehind([ONE])).toBe("untested");
    expect(stateBehind([], undefined, [])).toBe("untested");
    expect(stateBehind([ONE, OTHER], health(failing(ONE, AT_MS)))).toBe("failing");
    expect(stateBehind([ONE, OTHER], { ...health(failing(ONE, AT_MS)), state: "untested" })).toBe(
      "breaker_open",
    );
  });
});
