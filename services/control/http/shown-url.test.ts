import { describe, expect, test } from "@jest/globals";
import { deadLetter } from "#support/records";
import { listed } from "../deliveries/dead-letters/fixtures/listed-dead-letter.ts";
import { deadLetterView, wholeDeadLetterView } from "../deliveries/dead-letters/views.ts";
import { failingEvent } from "../deliveries/health/events.ts";
import { createDestination } from "../resources/destinations/destination.ts";
import { healthView } from "../resources/destinations/health/view.ts";
import { shownUrl } from "./shown-url.ts";

const SLACK = "https://hooks.example.com/services/T000/B000/XXXX";

describe("a URL that only tells which webhook is meant", () => {
  test.each([
    ["a token in the path", SLACK, /^https:\/\/hooks\.example\.com\/services\/\*\*\*#[0-9a-f]{6}$/],
    ["a token alone", "https://example.com/d2VsbCBrbm93bg", /^https:\/\/example\.com\/\*\*\*#[0-9a-f]{6}$/],
    ["a long word", `https://example.com/${"a".repeat(25)}`, /^https:\/\/example\.com\/\*\*\*#[0-9a-f]{6}$/],
    [
      "a token in the query",
      "https://example.com/in?key=XXXX",
      /^https:\/\/example\.com\/in\/\*\*\*#[0-9a-f]{6}$/,
    ],
    ["a token in the query of no path", "https://a.test?XXXX", /^https:\/\/a\.test\/\*\*\*#[0-9a-f]{6}$/],
    ["a token in the fragment", "https://a.test/in#XXXX", /^https:\/\/a\.test\/in\/\*\*\*#[0-9a-f]{6}$/],
    ["a version first", "http://a.test:8080/v1/XXXX", /^http:\/\/a\.test:8080\/v1\/\*\*\*#[0-9a-f]{6}$/],
    ["no URL", "XXXX", /^\*\*\*#[0-9a-f]{6}$/],
  ])("is shortened: %s", (_what, url, shown) => {
    expect(shownUrl(url)).toMatch(shown);
    expect(shownUrl(url)).not.toContain("XXXX");
  });

  test.each(["https://example.com", "https://example.com/", "https://example.com/hook"])(
    "is shown whole when it is a name and a word: %s",
    (url) => {
      expect(shownUrl(url)).toBe(url);
    },
  );

  test("is told from others of the same beginning, and is always the same", () => {
    const others = [0, 1, 2, 3, 4].map((index) => shownUrl(`${SLACK}${index}`));
    expect(new Set(others).size).toBe(5);
    // printf %s <url> | sha256sum | cut -c1-6
    expect(shownUrl(SLACK)).toBe("https://hooks.example.com/services/***#c01ef9");
  });
});

describe("no answer and no event tells a webhook's path", () => {
  const failing = {
    url: SLACK,
    sinceMs: 0,
    failures: 3,
    lastAtMs: 1,
    outcome: "timeout",
    status: null,
    message: "no response",
  };
  const health = {
    destinationId: "d1",
    state: "failing",
    sinceMs: 0,
    attemptAtMs: 1,
    urls: [],
    attemptOffset: 0,
    webhooks: [failing],
  };

  test("dead letters", () => {
    const [outcome] = deadLetter().outcomes;
    const letter = deadLetter({ outcomes: outcome === undefined ? [] : [{ ...outcome, url: SLACK }] });
    const view = deadLetterView(listed(), [], { destinations: { get: () => undefined } });
    const shown = JSON.stringify(wholeDeadLetterView(view, letter, false));
    expect(shown).toContain(shownUrl(SLACK));
    expect(shown).not.toContain("XXXX");
  });

  test("health and its events", () => {
    const sealer = { seal: never, renew: never, move: never, open: never };
    const input = { name: "D", sourceIds: [], webhooks: [{ url: SLACK }] };
    const destination = createDestination("d1", input, { sealer, nowMs: 0 });
    const texts = [
      JSON.stringify(healthView(destination, health, () => ({ state: "open" }))),
      failingEvent(destination, health).body.toString(),
    ];
    for (const text of texts) {
      expect(text).toContain(shownUrl(SLACK));
      expect(text).not.toContain("XXXX");
    }
  });
});

function never(): never {
  throw new Error("there is no secret");
}
