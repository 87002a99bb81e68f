import { expect, test } from "@jest/globals";
import { mayGoOn } from "./kept-answer.ts";

test.each([
  ["a short one", "no room", false],
  ["1,020 bytes", "x".repeat(1_020), false],
  ["1,021 bytes", "x".repeat(1_021), true],
  ["1,021 bytes, behind which a smiley did not fit", `x${"😀".repeat(255)}`, true],
  ["1,020 bytes in 510 characters", "ü".repeat(510), false],
  ["1,024 bytes in 512 characters", "ü".repeat(512), true],
])("whether more may have come after %s", (_what, body, isMore) => {
  expect(mayGoOn(body)).toBe(isMore);
});
