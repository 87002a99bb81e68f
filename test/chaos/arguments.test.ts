import { expect, test } from "@jest/globals";
import { readArguments } from "./arguments.ts";

test("without arguments 100,000 calls are sent", () => {
  expect(readArguments([])).toEqual({ calls: 100_000, seed: 1, callsPerSecond: 200, isJson: false });
});

test("every argument is taken", () => {
  const args = ["--calls", "1000000", "--seed=7", "--rate", "50", "--json"];
  expect(readArguments(args)).toEqual({ calls: 1_000_000, seed: 7, callsPerSecond: 50, isJson: true });
  expect(readArguments(["--help"])).toBe("help");
});

test.each([
  [["--calls", "0"], '--calls is not a whole number from 1 to 10000000 (it is "0")'],
  [["--seed", "-1"], "--seed"],
  [["--rate", "1.5"], '--rate is not a whole number from 1 to 10000 (it is "1.5")'],
  [["--cals", "5"], "--cals"],
  [["5"], "5"],
])("%j is refused", (args, message) => {
  expect(() => readArguments(args)).toThrow(message);
});
