import { expect, test } from "@jest/globals";
import { audienceOf } from "../fixtures/calls.ts";
import { LeftOutReporter } from "./left-out.ts";

const leftOut = (id: string) => ({ config: audienceOf(id, { audience: "gone" }), problem: "gone" });

test("what is left out at two looks is reported, once for each record", () => {
  const reported: string[] = [];
  const reporter = new LeftOutReporter(({ config: { id } }) => void reported.push(id));
  const [stays, passes] = [leftOut("stays"), leftOut("passes")];
  reporter.look([stays, passes]);
  expect(reported).toEqual([]);
  for (let look = 0; look < 3; look += 1) reporter.look([stays]);
  expect(reported).toEqual(["stays"]);
  const edited = leftOut("stays");
  for (let look = 0; look < 3; look += 1) reporter.look([edited]);
  expect(reported).toEqual(["stays", "stays"]);
});
