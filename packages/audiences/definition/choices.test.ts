import { expect, test } from "@jest/globals";
import { isAmong, prepareChoices } from "./choices.ts";
import type { Scalar } from "./definition.ts";

test.each([2, 500])("whether a value is among %s choices is what includes says", (count) => {
  const choices: readonly Scalar[] = [true, "x", ...Array.from({ length: count - 2 }, (_, index) => index)];
  prepareChoices(choices);
  for (const value of [true, false, "true", "x", "y", 0, "0", count - 3, count, [], {}, undefined])
    expect([value, isAmong(choices, value)]).toEqual([value, choices.includes(value as Scalar)]);
});

test("choices that nobody has prepared are gone through", () => {
  const choices = Array.from({ length: 500 }, (_, index) => index);
  expect([isAmong(choices, 499), isAmong(choices, 500)]).toEqual([true, false]);
});

test("a hundred lists of 500 long choices that are nearly the value are asked within three milliseconds", () => {
  const lists = Array.from({ length: 100 }, (_, list) =>
    Array.from({ length: 500 }, (_, index) => `${"a".repeat(990)}${1_000_000 + 500 * list + index}`),
  );
  for (const list of lists) prepareChoices(list);
  const ms = Array.from({ length: 10 }, (_, round) => {
    const value = Buffer.from(`${"a".repeat(995)}€${round}`).toString();
    const beganAtMs = performance.now();
    expect(lists.filter((list) => isAmong(list, value))).toEqual([]);
    return performance.now() - beganAtMs;
  });
  expect(Math.min(...ms)).toBeLessThan(3);
});
