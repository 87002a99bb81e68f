import { describe, expect, test } from "@jest/globals";
import { mergedBy, ownerOf, profileIdOf, userProfileId } from "./identity.ts";

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
});

describe("what a call merges", () => {
  test("a call with both ids: the anonymous profile", () => {
    expect(mergedBy(identify)).toEqual(["anon:y"]);
    expect(mergedBy({ ...identify, anonymousId: null })).toEqual([]);
    expect(mergedBy({ ...identify, userId: null })).toEqual([]);
  });

  test("an alias: the previous user and the anonymous profile of that id; other calls ignore previousId", () => {
    const alias = { type: "alias", userId: "u", anonymousId: null, previousId: "p" };
    expect(mergedBy(alias)).toEqual(["p", "anon:p"]);
    expect(mergedBy({ ...alias, type: "track" })).toEqual([]);
    expect(mergedBy({ ...alias, previousId: "u" })).toEqual(["anon:u"]);
    expect(mergedBy({ ...alias, anonymousId: "p" })).toEqual(["anon:p", "p"]);
  });
});
