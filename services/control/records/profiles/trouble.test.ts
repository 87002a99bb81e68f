import { expect, test } from "@jest/globals";
import { recordedLog } from "#support/recorded-log";
import { Trouble } from "./trouble.ts";

test("is said when it begins, then each minute, and when it is over", () => {
  const { lines, logger } = recordedLog();
  let nowMs = 0;
  const trouble = new Trouble(logger, { elapsed: () => nowMs });
  trouble.succeeded();
  for (; nowMs < 130_000; nowMs += 1_000) trouble.failed(new Error("away"));
  trouble.succeeded();
  trouble.succeeded();
  trouble.failed(new Error("away"));
  expect(lines.map(({ level, facts }) => [level, (facts as { forMs: number }).forMs])).toEqual([
    ["warn", 0],
    ["warn", 60_000],
    ["warn", 120_000],
    ["info", 130_000],
    ["warn", 0],
  ]);
});
