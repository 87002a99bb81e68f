import { describe, expect, test } from "@jest/globals";
import { deletionMessageId, isDeletion, REGULATION_TYPES, suppressionOf } from "./index.ts";

describe("regulations (contract 5.2)", () => {
  test("delete, suppress, or end a suppression, as their type says", () => {
    const effects = REGULATION_TYPES.map((type) => [type, isDeletion(type), suppressionOf(type)]);
    expect(effects).toEqual([
      ["DELETE_ONLY", true, undefined],
      ["SUPPRESS_WITH_DELETE", true, "begins"],
      ["SUPPRESS_ONLY", false, "begins"],
      ["UNSUPPRESS", false, "ends"],
    ]);
  });

  test("a delete notification has an id of its own, which is the same each time and a uuid v5", () => {
    const notification = { regulationId: "reg_1", sourceId: "src_1", userId: "u1" };
    const id = deletionMessageId(notification);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(deletionMessageId({ ...notification })).toBe(id);
    const others = [{ regulationId: "reg_2" }, { sourceId: "src_2" }, { userId: "u2" }];
    const ids = others.map((change) => deletionMessageId({ ...notification, ...change }));
    expect(new Set([id, ...ids]).size).toBe(4);
  });
});
