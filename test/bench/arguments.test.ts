import { expect, test } from "@jest/globals";
import { helpOf, readArguments } from "./arguments.ts";
import type { Bench } from "./bench.ts";

const bench: Bench = {
  name: "sample",
  summary: "Nothing.",
  flags: {
    seconds: { default: 10, doc: "seconds of it" },
    linger: { default: 4, doc: "ms of it", isZeroTaken: true },
    rate: { default: Number.NaN, doc: "calls/s; what is held when not given" },
  },
  run: async () => undefined,
};

test("without arguments the defaults hold", () => {
  expect(readArguments(bench, [])).toEqual({
    isJson: false,
    flags: { seconds: 10, linger: 4, rate: Number.NaN },
  });
});

test("numbers are taken from the command line", () => {
  const given = readArguments(bench, ["--seconds", "0.5", "--rate=345", "--linger", "0", "--json"]);
  expect(given).toEqual({ isJson: true, flags: { seconds: 0.5, linger: 0, rate: 345 } });
});

test.each([
  [["--seconds", "soon"], "--seconds takes a positive number"],
  [["--seconds=0"], "--seconds takes a positive number"],
  [["--linger=-1"], "--linger takes a positive number, or 0"],
  [["--second", "1"], "Unknown option '--second'"],
  [["10"], "Unexpected argument '10'"],
])("%j is refused", (args, why) => {
  expect(() => readArguments(bench, args)).toThrow(why);
});

test("the help names every option with its default, if it has one", () => {
  expect(readArguments(bench, ["--help"])).toBe("help");
  expect(helpOf("parts --sample", bench)).toMatch(/^npm run bench -- parts --sample \[options\]\n/);
  expect(helpOf("parts --sample", bench)).toMatch(/--seconds N +seconds of it \(10\)\n/);
  expect(helpOf("parts --sample", bench)).toMatch(/--rate N +calls\/s; what is held when not given\n/);
});
