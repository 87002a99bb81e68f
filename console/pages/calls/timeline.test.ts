import { expect, test } from "@jest/globals";
import { timelineOf } from "./timeline.ts";

test("what happened comes in its order, and what comes next at the end", () => {
  const attempt = (startedAt: string) => ({ startedAt });
  const entries = timelineOf({
    attempts: [attempt("2026-01-01T00:00:03Z"), attempt("2026-01-01T00:00:01Z")],
    deadLetters: [{ deadAt: "2026-01-01T00:00:02Z" }],
    next: [{ nextAttemptAt: null }, { nextAttemptAt: "2026-01-01T00:00:00Z" }],
  } as never);
  expect(entries.map(({ kind, at }) => [kind, at?.slice(-3)])).toEqual([
    ["attempt", "01Z"],
    ["dead", "02Z"],
    ["attempt", "03Z"],
    ["next", "00Z"],
    ["next", undefined],
  ]);
});
