import { expect, test } from "@jest/globals";
import { userIdsIn } from "./types.ts";

test("user ids are lines, each once, with their blanks", () => {
  expect(userIdsIn("u1\r\n u 2 \n\nu1\n")).toEqual(["u1", " u 2 "]);
});
