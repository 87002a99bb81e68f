import { expect, test } from "@jest/globals";
import { profilePath } from "./user-path.ts";

test.each([
  [{ userId: "u/1", anonymousId: "a" }, "/profiles/u%2F1"],
  [{ userId: null, anonymousId: "a 1" }, "/profiles/anon%3Aa%201"],
  [{ userId: "anon:x", anonymousId: null }, "/profiles/user%3Aanon%3Ax"],
  [{ userId: "user:x", anonymousId: null }, "/profiles/user%3Auser%3Ax"],
])("the page of %j is %s", (ids, path) => expect(profilePath(ids)).toBe(path));
