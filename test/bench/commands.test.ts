import { expect, test } from "@jest/globals";
import { choiceOf } from "./commands.ts";

test.each([
  [["pipeline", "--rate", "345"], "pipeline", ["--rate", "345"]],
  [["pipeline", "--isolation", "--rate", "345"], "isolation", ["--rate", "345"]],
  [["pipeline", "--down", "20", "--recovery"], "recovery", ["--down", "20"]],
  [["parts", "--longest-turn"], "longest-turn", []],
  [["parts", "--clients", "--json"], "clients", ["--json"]],
  [["audiences", "--processor", "--help"], "processor", ["--help"]],
  [["scale", "--most", "10"], "scale", ["--most", "10"]],
  [["scale", "--processes", "--rate", "9"], "processes", ["--rate", "9"]],
  [["scale", "--starts", "--rounds", "1"], "starts", ["--rounds", "1"]],
])("%j measures %s", (argv, name, args) => {
  expect(choiceOf(argv)).toMatchObject({ bench: { name }, args });
});

test.each([
  [["ingest"], "ingest is no benchmark: name pipeline, parts, audiences, scale"],
  [["toString"], "toString is no benchmark"],
  [["parts"], "say which: parts --ingest, parts --delivery"],
  [["pipeline", "--isolation", "--recovery"], "one at a time: pipeline --isolation, or pipeline --recovery"],
])("%j is refused", (argv, why) => {
  expect(() => choiceOf(argv)).toThrow(why);
});

test("the help has a line for each measurement", () => {
  const help = choiceOf(["--help"]) as string;
  expect(choiceOf([])).toBe(help);
  expect(help.match(/^ {2}\w+( --[\w-]+)? {2,}\S.*$/gm)).toHaveLength(14);
  expect(choiceOf(["parts", "--help"])).toMatch(/^ {2}parts --ingest +CPU time/m);
});
