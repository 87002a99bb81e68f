import { afterEach, describe, expect, test } from "@jest/globals";
import { attempt, deadLetter, START_MS, WEBHOOK } from "#support/records";
import { scratchFolder } from "#support/scratch-folder";
import type { DeadLetter, DeliveryAttempt } from "#topics";
import { issueId } from "../../http/issue-id.ts";
import { readInto, sweep } from "./fixtures/reading.ts";
import { IndexPart } from "./index-part.ts";
import { MAX_ISSUES, QUIET_MS } from "./issues-table.ts";

const HOUR_MS = 3_600_000;
const ALL = { limit: 100 };
const opened: IndexPart[] = [];

afterEach(() => {
  for (const index of opened.splice(0)) index.close();
});

function open(nowMs = START_MS) {
  const index = new IndexPart({
    folder: scratchFolder(),
    nowMs: () => nowMs,
    onDiscarded: () => undefined,
  });
  opened.push(index);
  let sequence = 0;
  return {
    index,
    /** Hours after the start. */
    fail: (...of: (Partial<DeliveryAttempt> & { hour: number })[]) =>
      readInto(
        index,
        "attempts",
        of.map(({ hour, ...changes }) => {
          sequence += 1;
          return attempt({ sequence, startedAtMs: START_MS + hour * HOUR_MS, ...changes });
        }),
      ),
    die: (...letters: DeadLetter[]) => readInto(index, "deadLetters", letters),
    issues: () => index.listIssues({}, ALL),
  };
}

const ID = issueId({ destinationId: "d1", url: WEBHOOK, reason: "http_5xx" });

describe("an issue", () => {
  test("is what has the same destination, webhook and reason", () => {
    const { fail, index, issues } = open();
    fail(
      { hour: 0, status: 500 },
      { hour: 2, status: 503, message: "HTTP 503" },
      // Late: it is not the last one.
      { hour: 1 },
      { hour: 1, outcome: "timeout", status: null },
      { hour: 1, url: "https://b.test/" },
      { hour: 1, destinationId: "d2" },
      { hour: 3, outcome: "success", status: 200 },
    );
    expect(issues()).toHaveLength(4);
    expect(index.findIssue(ID)).toMatchObject({
      ...{ id: ID, destinationId: "d1", url: WEBHOOK, reason: "http_5xx" },
      ...{ requests: 3, deadLetters: 0, status: 503, message: "HTTP 503" },
      ...{ firstAtMs: START_MS, sinceMs: START_MS, lastAtMs: START_MS + 2 * HOUR_MS },
    });
    expect(index.findIssue("iss_none")).toBeUndefined();
    expect(index.listIssues({ destinationId: "d2" }, ALL)).toHaveLength(1);
  });

  test("knows its statuses with their counts, over transactions and in any order", () => {
    const { die, fail, index } = open();
    const of = (status: number, hour: number) => ({ hour, status, message: `HTTP ${status}, ${hour}` });
    fail(of(500, 0), of(503, 3), of(503, 1));
    fail(of(503, 2), of(500, 4));
    fail({ hour: 5, outcome: "timeout", status: null });
    const outcome = { url: WEBHOOK, kind: "retryable", reason: "http_5xx", status: 500, message: "HTTP 500" };
    die(
      deadLetter({ id: "a", deadAtMs: START_MS, outcomes: [{ ...outcome, atMs: START_MS, durationMs: 1 }] }),
    );
    expect(index.findIssue(ID)?.statuses).toEqual([
      { status: 503, requests: 3, deadLetters: 0, lastAtMs: START_MS + 3 * HOUR_MS, message: "HTTP 503, 3" },
      { status: 500, requests: 2, deadLetters: 1, lastAtMs: START_MS + 4 * HOUR_MS, message: "HTTP 500, 4" },
    ]);
    const timeout = issueId({ destinationId: "d1", url: WEBHOOK, reason: "timeout" });
    expect(index.findIssue(timeout)?.statuses).toEqual([]);
    const issue = index.findIssue(ID);
    if (issue === undefined) throw new Error("there is an issue");
    expect(index.listAttemptsOfIssue(issue, 1).map(({ status }) => status)).toEqual([500, 503]);
  });

  test("counts a request once, however often its record is read", () => {
    const { fail, index } = open();
    fail({ hour: 0 });
    index.apply({
      kind: "attempts",
      partition: 0,
      entries: [{ partition: 0, offset: 0, record: attempt({ sequence: 1 }) }],
      nextOffset: 1,
      epoch: index.epoch,
    });
    expect(index.findIssue(ID)).toMatchObject({ requests: 1 });
  });

  test("is not counted from a transaction that came to nothing", () => {
    const { fail, index } = open();
    expect(() => fail({ hour: 0 }, { hour: 1, messageId: undefined as never })).toThrow();
    expect(index.findIssue(ID)).toBeUndefined();
    fail({ hour: 2, destinationId: "d2" });
    expect(index.findIssue(ID)).toBeUndefined();
  });

  const quietHours = QUIET_MS / HOUR_MS;
  test.each([
    ["in one transaction", [[0, 1, 2 + quietHours, 3 + quietHours]]],
    ["in several", [[0, 1], [2 + quietHours], [3 + quietHours]]],
    ["in several that begin again", [[0], [1, 2 + quietHours], [3 + quietHours]]],
  ])("begins again after a quiet time, read %s", (_, stretches) => {
    const { fail, index } = open();
    for (const hours of stretches) fail(...hours.map((hour) => ({ hour })));
    expect(index.findIssue(ID)).toMatchObject({
      firstAtMs: START_MS,
      sinceMs: START_MS + (2 + quietHours) * HOUR_MS,
      lastAtMs: START_MS + (3 + quietHours) * HOUR_MS,
      requests: 4,
    });
  });

  test("begins with its first failure, also where a request that began earlier is read later", () => {
    const { fail, index } = open();
    fail({ hour: 0 });
    // Slow ones end behind those that began after them.
    fail({ hour: 2 }, { hour: 1 });
    expect(index.findIssue(ID)).toMatchObject({ firstAtMs: START_MS, sinceMs: START_MS });
  });

  test("of dead letters alone has the error of the last one", () => {
    const { die, index } = open();
    const letter = { outcomes: [], reason: "handler_failed" };
    const at = (hour: number) => ({
      ...letter,
      deadAtMs: START_MS + hour * HOUR_MS,
      message: `fault ${hour}`,
    });
    for (const hour of [0, 2, 1]) die(deadLetter({ id: `letter-${hour}`, ...at(hour) }));
    const id = issueId({ destinationId: "d1", url: null, reason: "handler_failed" });
    expect(index.findIssue(id)).toMatchObject({ deadLetters: 3, message: "fault 2" });
  });

  test("goes on while no pause is as long as the quiet time", () => {
    const { fail, index } = open();
    fail({ hour: 0 });
    fail({ hour: quietHours }, { hour: 2 * quietHours });
    expect(index.findIssue(ID)).toMatchObject({ sinceMs: START_MS });
  });

  test("has the calls that died of it, in whichever order its records are read", () => {
    const { outcomes } = deadLetter();
    const [outcome] = outcomes;
    const of = (reason: string, url: string) => ({ ...outcome, reason, url }) as NonNullable<typeof outcome>;
    const letters = [
      deadLetter({ id: "a", outcomes: [of("http_5xx", WEBHOOK), of("timeout", "https://b.test/")] }),
      deadLetter({ id: "b", outcomes: [of("http_5xx", WEBHOOK)], deadAtMs: START_MS + HOUR_MS }),
      // Written twice.
      deadLetter({ id: "b", outcomes: [of("http_5xx", WEBHOOK)] }),
      deadLetter({ id: "c", outcomes: [], reason: "destination_paused" }),
      deadLetter({ id: "calls-0-7", outcomes: [], reason: "undecodable", destinationId: null }),
    ];
    const shown = [true, false].map((areLettersFirst) => {
      const { die, fail, index, issues } = open();
      if (areLettersFirst) die(...letters);
      fail({ hour: 0 }, { hour: 3 });
      if (!areLettersFirst) die(...letters);
      const paused = issueId({ destinationId: "d1", url: null, reason: "destination_paused" });
      expect(index.findIssue(paused)).toMatchObject({ requests: 0, deadLetters: 1, url: null, status: null });
      expect(index.listDeadLetters({ issueId: ID }, ALL).map(({ id }) => id)).toEqual(["b", "a"]);
      expect(index.listDeadLetters({ issueId: ID.slice(0, -1) }, ALL)).toEqual([]);
      expect(index.findDeadLetter("a")?.issueIds).toHaveLength(2);
      expect(index.findDeadLetter("calls-0-7")?.issueIds).toEqual([]);
      expect(index.countDeadLetters({ destinationId: "d1", issueId: ID })).toBe(2);
      return issues()
        .map(({ place: _place, ...issue }) => issue)
        .sort((one, other) => (one.id < other.id ? -1 : 1));
    });
    expect(shown[0]).toHaveLength(3);
    expect(shown[0]).toEqual(shown[1]);
    expect(shown[0]?.find(({ id }) => id === ID)).toMatchObject({
      requests: 2,
      deadLetters: 2,
      lastAtMs: START_MS + 3 * HOUR_MS,
    });
  });

  test.each([
    ["requests", 6 * 24 + 1, true],
    ["requests", 6 * 24 - 1, false],
    ["dead letters", 13 * 24 + 1, true],
    ["dead letters", 13 * 24 - 1, false],
  ])("of %s that began %p hours before the index was made may be older: %p", (kind, hours, mayBeOlder) => {
    const { die, fail, issues } = open(START_MS + hours * HOUR_MS);
    if (kind === "requests") fail({ hour: 0 });
    else die(deadLetter({ deadAtMs: START_MS }));
    expect(issues()).toMatchObject([{ mayBeOlder }]);
  });

  test("that was quiet behind a dead letter began with the next request, in whichever order they are read", () => {
    const letter = deadLetter({
      outcomes: deadLetter().outcomes.map((one) => ({ ...one, reason: "http_5xx" })),
    });
    const began = [true, false].map((isLetterFirst) => {
      const { die, fail, index } = open();
      if (isLetterFirst) die(letter);
      fail({ hour: 2 * quietHours });
      if (!isLetterFirst) die(letter);
      return index.findIssue(ID)?.sinceMs;
    });
    expect(began).toEqual([START_MS + 2 * quietHours * HOUR_MS, START_MS + 2 * quietHours * HOUR_MS]);
  });

  test("gives its last requests, between those of others", () => {
    const { fail, index } = open();
    const hours = Array.from({ length: 20 }, (_, hour) => ({ hour, messageId: `m${hour}` }));
    fail(...hours.map((each) => (each.hour % 2 === 0 ? each : { ...each, outcome: "timeout" })));
    const issue = index.findIssue(ID);
    if (issue === undefined) throw new Error("there is no issue");
    const ids = index.listAttemptsOfIssue(issue, 3).map(({ messageId }) => messageId);
    expect(ids).toEqual(["m18", "m16", "m14"]);
  });
});

describe("the list of issues", () => {
  test("begins with the one that began last, and goes on behind an entry", () => {
    const { fail, index } = open();
    fail({ hour: 0 }, { hour: 2, destinationId: "d2" }, { hour: 1, destinationId: "d3" });
    fail({ hour: 5 });
    const names = (behind?: { atMs: number; place: number }) =>
      index.listIssues({}, { limit: 2, behind }).map(({ destinationId }) => destinationId);
    expect(names()).toEqual(["d2", "d3"]);
    const [, last] = index.listIssues({}, { limit: 2 });
    expect(names({ atMs: last?.sinceMs ?? 0, place: last?.place ?? 0 })).toEqual(["d1"]);
  });

  test("keeps what failed as long ago as dead letters are kept", () => {
    const { fail, index, issues } = open(START_MS + 2 * HOUR_MS);
    fail({ hour: 0 }, { hour: 1, destinationId: "d2" });
    sweep(index, 1, { deadLetters: HOUR_MS });
    expect(issues().map(({ destinationId }) => destinationId)).toEqual(["d2"]);
    fail({ hour: 2, status: 503 });
    expect(index.findIssue(ID)?.statuses).toMatchObject([{ status: 503, requests: 1 }]);
  });

  test("has none of the dead letters that have left, of an issue that came back neither those of before", () => {
    const { die, fail, index } = open(START_MS + 9 * HOUR_MS);
    const at = (hour: number, destinationId = "d1") => {
      const outcomes = deadLetter().outcomes.map((one) => ({ ...one, reason: "http_5xx", status: 500 }));
      return deadLetter({ id: `${hour}`, destinationId, deadAtMs: START_MS + hour * HOUR_MS, outcomes });
    };
    const shown = () => {
      const issue = index.findIssue(ID);
      return issue && [issue.deadLetters, ...issue.statuses.map((of) => of.deadLetters)];
    };
    // The second one is older, and stays as long as the first.
    die(at(5, "d2"), at(0));
    sweep(index, 1, { deadLetters: 8 * HOUR_MS });
    expect(shown()).toBeUndefined();
    die(at(6), at(8));
    expect(shown()).toEqual([2, 2]);
    sweep(index, 1, { deadLetters: 3.5 * HOUR_MS });
    expect(shown()).toEqual([2, 2]);
    fail({ hour: 8, status: 503 });
    sweep(index, 1, { deadLetters: 2 * HOUR_MS });
    expect([shown(), index.countDeadLetters({ issueId: ID })]).toEqual([[1, 0, 1], 1]);
  });

  test("has a bounded number, of which the oldest failures leave", () => {
    const { fail, index } = open();
    const many = Array.from({ length: MAX_ISSUES + 3 }, (_, at) => ({
      hour: at / MAX_ISSUES,
      destinationId: `d${at}`,
    }));
    fail(...many);
    sweep(index, 1, { deadLetters: HOUR_MS });
    expect(index.listIssues({}, { limit: 2 * MAX_ISSUES })).toHaveLength(MAX_ISSUES);
    expect(index.listIssues({ destinationId: "d2" }, ALL)).toEqual([]);
    expect(index.listIssues({ destinationId: "d3" }, ALL)).toHaveLength(1);
  });
});
