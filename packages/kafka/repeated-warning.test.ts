import { expect, test } from "@jest/globals";
import { isWorthLogging } from "./repeated-warning.ts";

test("of failures in a row the first, second, fourth, eighth and so on are worth a line", () => {
  const failures = Array.from({ length: 70 }, (_, index) => index + 1);
  expect(failures.filter(isWorthLogging)).toEqual([1, 2, 4, 8, 16, 32, 64]);
});
