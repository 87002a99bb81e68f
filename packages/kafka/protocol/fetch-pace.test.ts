import { expect, test } from "@jest/globals";
import { FetchPace } from "./fetch-pace.ts";

const fetch = (records: number, unhurriedRecords = 0) => ({ records, unhurriedRecords });
const at = (nowMs: number, withUnhurried = true) => ({ askedAtMs: nowMs, nowMs, withUnhurried });

test("the first fetch waits for nothing", () => {
  expect(new FetchPace(() => 3).waitMs(0)).toBe(0);
});

test("after an answer with few records the next fetch waits, and no longer than that", () => {
  const pace = new FetchPace(() => 3);
  pace.fetched(fetch(1), at(1_000));
  const waitMs = pace.waitMs(1_000);
  expect(waitMs).toBeGreaterThan(0);
  expect(pace.waitMs(1_000 + waitMs)).toBe(0);
});

test("how long it waits is asked each time: it may change", () => {
  let pauseMs = 200;
  const pace = new FetchPace(() => pauseMs);
  pace.fetched(fetch(1), at(1_000));
  expect(pace.waitMs(1_000)).toBe(200);
  pauseMs = 25;
  pace.fetched(fetch(1), at(2_000));
  expect(pace.waitMs(2_000)).toBe(25);
});

test("after an answer without records, or with plenty, it does not wait", () => {
  const pace = new FetchPace(() => 3);
  pace.fetched(fetch(1), at(1_000));
  pace.fetched(fetch(0), at(1_000));
  expect(pace.waitMs(1_000)).toBe(0);
  pace.fetched(fetch(5_000), at(1_000));
  expect(pace.waitMs(1_000)).toBe(0);
});

test("topics that are not read in a hurry are due once, and again within half a second", () => {
  const pace = new FetchPace(() => 3);
  expect(pace.isUnhurriedDue(1_000)).toBe(true);
  pace.fetched(fetch(10, 10), at(1_000));
  expect(pace.isUnhurriedDue(1_001)).toBe(false);
  pace.fetched(fetch(10), at(1_002, false));
  expect(pace.isUnhurriedDue(1_003)).toBe(false);
  expect(pace.isUnhurriedDue(1_500)).toBe(true);
});

test("while they bring plenty they are due at once", () => {
  const pace = new FetchPace(() => 3);
  pace.fetched(fetch(5_000, 5_000), at(1_000));
  expect(pace.isUnhurriedDue(1_000)).toBe(true);
});
