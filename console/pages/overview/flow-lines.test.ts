import { expect, test } from "@jest/globals";
import { linesOf, perMinute, ROW_PX } from "./flow-lines.ts";

const flow = {
  sources: [{ id: "s1" }, { id: "s2" }],
  destinations: [{ id: "d1" }, { id: "d2", isStuck: true }],
} as unknown as Parameters<typeof linesOf>[0];
const line = (sourceId: string, destinationId: string, sent = 0, dead = 0) =>
  linesOf(
    { ...flow, flows: [{ sourceId, destinationId, sent, dead, waiting: 0, delivered: sent - dead }] },
    5,
  )[0];

test("a line goes from the row of its source to that of its destination", () => {
  const [first, second] = [ROW_PX / 2, ROW_PX * 1.5];
  expect(line("s2", "d1")?.curve).toBe(`M0 ${second} C50 ${second} 50 ${first} 100 ${first}`);
});

test("it is broader for more calls, within bounds", () => {
  const widths = [0, 50, 5_000, 5e12].map((sent) => line("s1", "d1", sent)?.width ?? 0);
  expect(widths).toEqual(widths.toSorted((one, other) => one - other));
  expect([widths[0], widths[3]]).toEqual([1, 8]);
});

test.each([
  ["d1", 0, 0, "idle"],
  ["d1", 5, 0, "good"],
  ["d2", 5, 0, "wait"],
  ["d2", 5, 1, "bad"],
])("to %p with %p sent and %p dead it is %s", (destinationId, sent, dead, tone) => {
  expect(line("s1", destinationId, sent, dead)?.tone).toBe(tone);
});

test("what is not in the picture has no line", () => {
  expect(line("s1", "d9")).toBeUndefined();
});

test.each([
  [0, "0"],
  [2, "0.4/min"],
  [6_000, "1,200/min"],
])("%p calls in five minutes are %p", (calls, text) => {
  expect(perMinute(calls, 5)).toBe(text);
});
