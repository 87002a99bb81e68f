import { expect, test } from "@jest/globals";
import { isPatched } from "./patched.ts";

test("each part of the client is patched once", () => {
  const target = {};
  const found = ["fetch", "fetch", "heartbeat", "fetch"].map((part) => isPatched(target, part));
  expect(found).toEqual([false, true, false, true]);
  expect(isPatched({}, "fetch")).toBe(false);
});
