import { expect, test } from "@jest/globals";
import { idIn, profilePath } from "./user-path.ts";

test.each([
  [{ userId: "u/1", anonymousId: "a" }, "/profiles/u%2F1"],
  [{ userId: null, anonymousId: "a 1" }, "/profiles/anon%3Aa%201"],
  [{ userId: "anon:x", anonymousId: null }, "/profiles/user%3Aanon%3Ax"],
  [{ userId: "user:x", anonymousId: null }, "/profiles/user%3Auser%3Ax"],
])("the page of %j is %s", (ids, path) => expect(profilePath(ids)).toBe(path));

test.each(["a%2Fb/c", "u 1", "50%"])("the page of %j is that of no other id", (userId) =>
  expect(idIn(profilePath({ userId, anonymousId: null }))).toBe(userId),
);

test("a path that is typed without an encoding is taken as it is", () =>
  expect(idIn("/profiles/50%")).toBe("50%"));
