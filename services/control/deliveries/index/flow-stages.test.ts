import { expect, test } from "@jest/globals";
import { whereOf } from "./flow-stages.ts";

test("the step in which a range ends is not in it", () => {
  const range = { fromMs: 60_000, toMs: 120_000, stepMs: 60_000 };
  expect(whereOf({ ...range, destinationId: "d1", sourceId: "s1" })).toEqual({
    where: "destination_id = ? AND minute_ms >= ? AND minute_ms < ?",
    values: ["d1", 60_000, 120_000],
  });
  expect(whereOf({ ...range, sourceId: "s1" }).values).toEqual(["s1", 60_000, 120_000]);
});
