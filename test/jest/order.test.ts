import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { orderOf, type Suite } from "./order.ts";
import { suiteOf, updated } from "./suites.ts";

const ROOT = join(import.meta.dirname, "../..");

function suite(path: string, over: Partial<Suite> = {}): Suite {
  return { path, seconds: 10, isHeavy: false, takesTurns: false, ...over };
}

function names(suites: readonly Suite[], workers = 2): string[] {
  return orderOf(suites, workers).map(({ path }) => path);
}

describe("suites start", () => {
  test("the slow ones first, and in the same order everywhere", () => {
    const suites = [suite("b"), suite("a"), suite("slow", { seconds: 200 }), suite("quick", { seconds: 3 })];
    expect(names(suites)).toEqual(["slow", "a", "b", "quick"]);
    expect(names([...suites].reverse())).toEqual(["slow", "a", "b", "quick"]);
  });

  test("a new one where it has time: a heavy one before the middling, a light one among the last", () => {
    const suites = [
      suite("new light", { seconds: undefined }),
      suite("new heavy", { seconds: undefined, isHeavy: true }),
      ...[100, 20, 3].map((seconds) => suite(`${seconds} s`, { seconds })),
    ];
    expect(names(suites)).toEqual(["100 s", "new heavy", "20 s", "3 s", "new light"]);
  });

  test("those that take turns one after the other, from the beginning, with others beside them", () => {
    const turns = [60, 40].map((seconds) => suite(`turn ${seconds}`, { seconds, takesTurns: true }));
    const others = [50, 30, 20, 10].map((seconds) => suite(`other ${seconds}`, { seconds }));
    // 60 beside 50 and 30; then 40 beside the rest of 30 and 20.
    expect(names([...others, ...turns])).toEqual([
      ...["turn 60", "other 50", "other 30", "turn 40", "other 20", "other 10"],
    ]);
  });

  test("beside the longest that takes turns those that need no Kafka, and then the longest again", () => {
    const heavy = [90, 80].map((seconds) => suite(`kafka ${seconds}`, { seconds, isHeavy: true }));
    const light = [30, 20, 10].map((seconds) => suite(`none ${seconds}`, { seconds }));
    const turns = [45, 5].map((seconds) =>
      suite(`turn ${seconds}`, { seconds, isHeavy: true, takesTurns: true }),
    );
    expect(names([...heavy, ...light, ...turns])).toEqual([
      // 30 and 20 are through when 45 is.
      ...["turn 45", "none 30", "none 20", "turn 5", "kafka 90", "kafka 80", "none 10"],
    ]);
    expect(names([...heavy, ...turns])).toEqual(["turn 45", "kafka 90", "turn 5", "kafka 80"]);
  });

  test("all of them once, also when only such are left as take turns", () => {
    const turns = [3, 2, 1].map((seconds) => suite(`turn ${seconds}`, { seconds, takesTurns: true }));
    expect(names(turns)).toEqual(["turn 3", "turn 2", "turn 1"]);
    expect(names(turns, 1)).toHaveLength(3);
    expect(names([])).toEqual([]);
  });
});

describe("what is known of a suite", () => {
  test.each([
    ["test/chaos/conservation.test.ts", { isHeavy: false, takesTurns: true }],
    ["test/chaos/kafka-client.test.ts", { isHeavy: true, takesTurns: true }],
    ["services/ingest/kafka-away.test.ts", { isHeavy: true, takesTurns: true }],
    ["test/e2e/delivery.test.ts", { isHeavy: true, takesTurns: false }],
    // It has a run.ts of its own.
    ["cli/provision/provision.test.ts", { isHeavy: true, takesTurns: false }],
    ["packages/contract/outcome.test.ts", { isHeavy: false, takesTurns: false }],
  ])("%s", (path, expected) => {
    expect(suiteOf(join(ROOT, path), { [path]: 7 })).toEqual({ path, seconds: 7, ...expected });
    expect(suiteOf(join(ROOT, path), {}).seconds).toBeUndefined();
  });
});

describe("the table of durations", () => {
  test("takes over what ran and passed, keeps what did not run, forgets the short and the gone", () => {
    const ran = (path: string, seconds: number, status = "passed") => ({
      name: join(ROOT, path),
      status,
      startTime: 1_000,
      endTime: 1_000 + seconds * 1_000,
      assertionResults: [{ duration: 1_500 }, { duration: 2_000 }, { duration: null }],
    });
    const known = {
      "a.test.ts": 9,
      "b.test.ts": 8,
      "failed.test.ts": 7,
      "gone.test.ts": 6,
      "now-short.test.ts": 5,
    };
    const result = {
      testResults: [
        ran("b.test.ts", 4.4),
        ran("failed.test.ts", 1, "failed"),
        ran("new.test.ts", 12),
        ran("now-short.test.ts", 1.4),
        ran("waited-for-its-turn.test.ts", 90),
      ],
    };
    const exists = (path: string): boolean => path !== "gone.test.ts";
    const takesTurns = (path: string): boolean => path === "waited-for-its-turn.test.ts";
    expect(updated(known, result, { exists, takesTurns })).toEqual({
      "a.test.ts": 9,
      "b.test.ts": 4,
      "failed.test.ts": 7,
      "new.test.ts": 12,
      "waited-for-its-turn.test.ts": 4,
    });
  });
});
