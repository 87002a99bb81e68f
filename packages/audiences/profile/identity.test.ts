import { describe, expect, test } from "@jest/globals";
import { mergedBy, ownerOf, profileIdOf, survivorOf, userProfileId } from "./identity.ts";

const redirects = new Map([
  ["anon:x", "u1"],
  ["u1", "u2"],
]);
const redirectOf = (id: string): string | undefined => redirects.get(id);
const none = (): undefined => undefined;
const identify = { type: "identify", userId: "u", anonymousId: "y" };

describe("whose call it is", () => {
  test("the user's, else the anonymous profile's", () => {
    expect(profileIdOf(identify)).toBe("u");
    expect(profileIdOf({ ...identify, userId: null })).toBe("anon:y");
    expect(profileIdOf({ ...identify, userId: null, anonymousId: null })).toBeUndefined();
  });

  test.each(["u", "anon:x", "group:x", "user:u", "user:anon:x", "user:group:x", "ü:1"])(
    "user %j has a profile id of its own, and is found again",
    (userId) => {
      const id = userProfileId(userId);
      expect(/^(anon|group):/.test(id)).toBe(false);
      expect(ownerOf(id)).toEqual({ userId });
    },
  );

  test("user ids and profile ids are one to one", () => {
    const ids = ["x", "anon:x", "user:x", "user:anon:x", "user:user:x"].map(userProfileId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("of a merged profile it is the last survivor's", () => {
    expect(survivorOf("anon:x", redirectOf)).toBe("u2");
    expect(survivorOf("u3", redirectOf)).toBe("u3");
  });
});

describe("what a call merges", () => {
  test("a call with both ids: the anonymous profile", () => {
    expect(mergedBy(identify, none)).toEqual(["anon:y"]);
    expect(mergedBy({ ...identify, anonymousId: null }, none)).toEqual([]);
    expect(mergedBy({ ...identify, userId: null }, none)).toEqual([]);
  });

  test("an anonymousId that two users share stays with the first", () => {
    expect(mergedBy({ ...identify, anonymousId: "x" }, redirectOf)).toEqual([]);
  });

  test("an alias: the previous user and the anonymous profile of that id; other calls ignore previousId", () => {
    const alias = { type: "alias", userId: "u", anonymousId: null, previousId: "p" };
    expect(mergedBy(alias, none)).toEqual(["p", "anon:p"]);
    expect(mergedBy({ ...alias, type: "track" }, none)).toEqual([]);
    expect(mergedBy({ ...alias, previousId: "u" }, none)).toEqual(["anon:u"]);
  });

  test("an alias back does not merge the survivor into what was merged into it", () => {
    const back = { type: "alias", userId: "u1", anonymousId: null, previousId: "u2" };
    expect(mergedBy(back, redirectOf)).toEqual(["anon:u2"]);
  });
});
