import { describe, expect, test } from "@jest/globals";
import { attempt } from "#support/records";
import type { EndpointBreaker } from "#topics";
import { Breakers } from "./breakers.ts";

const URL = "https://a.test/";
const NOW_MS = Date.UTC(2026, 0, 1);
const CLOSED = { state: "closed", nextProbeAtMs: null };

/** What deliverers have said, by writer: when the next probe is due, or the state. */
function said(...words: readonly [writer: string, word: number | "closed" | "half_open"][]): Breakers {
  const breakers = new Breakers();
  for (const [writer, word] of words) breakers.observe(breaker(writer, word), NOW_MS);
  return breakers;
}

function breaker(writer: string, word: number | "closed" | "half_open"): EndpointBreaker {
  const isOpen = typeof word === "number";
  const state = isOpen ? "open" : word;
  return { url: URL, writer, state, nextProbeAtMs: isOpen ? NOW_MS + word : null, atMs: NOW_MS };
}

const open = (inMs: number) => ({ state: "open", nextProbeAtMs: NOW_MS + inMs });
const answered = (endedAtMs: number) =>
  attempt({ url: URL, writer: "other", outcome: "success", startedAtMs: endedAtMs - 10, durationMs: 10 });

describe("the breakers of an endpoint", () => {
  test("are closed while nobody says otherwise, and once everybody has said so", () => {
    expect(said().of(URL, NOW_MS)).toEqual(CLOSED);
    const breakers = said(["one", 1_000], ["one", "closed"]);
    expect([breakers.of(URL, NOW_MS), breakers.size]).toEqual([CLOSED, 0]);
    expect(said(["one", 1_000]).of("https://b.test/", NOW_MS)).toEqual(CLOSED);
  });

  test("are open while one deliverer says so, with the earliest probe", () => {
    const all = said(["one", 5_000], ["two", 3_000], ["three", "half_open"]);
    expect(all.of(URL, NOW_MS)).toEqual(open(3_000));
    all.observe(breaker("two", "closed"), NOW_MS);
    expect(all.of(URL, NOW_MS)).toEqual(open(5_000));
    all.observe(breaker("one", "half_open"), NOW_MS);
    expect(all.of(URL, NOW_MS)).toEqual({ state: "half_open", nextProbeAtMs: null });
  });

  test("of a deliverer that was killed count until another gets an answer after the probe was due", () => {
    const breakers = said(["killed", 5_000]);
    breakers.attempted(answered(NOW_MS + 4_999));
    breakers.attempted({ ...answered(NOW_MS + 9_000), outcome: "timeout" });
    expect(breakers.of(URL, NOW_MS + 9_000)).toEqual(open(5_000));
    breakers.attempted(answered(NOW_MS + 5_001));
    expect([breakers.of(URL, NOW_MS + 9_000), breakers.size]).toEqual([CLOSED, 0]);
  });

  test("are forgotten an hour after nobody came to probe, and leave memory", () => {
    const breakers = said(["killed", 5_000]);
    const lastMs = NOW_MS + 5_000 + 3_600_000;
    expect(breakers.of(URL, lastMs)).toEqual(open(5_000));
    expect(breakers.of(URL, lastMs + 1)).toEqual(CLOSED);
    breakers.observe({ ...breaker("one", "closed"), url: "https://b.test/" }, lastMs + 1);
    expect(breakers.size).toBe(0);
  });
});
