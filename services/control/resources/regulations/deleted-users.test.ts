import { describe, expect, test } from "@jest/globals";
import type { Regulation } from "#topics";
import { createDeletedUsers } from "./deleted-users.ts";
import { regulation, START_MS } from "./fixtures/regulation.ts";
import { ended } from "./regulation.ts";

const subjectIds = Array.from({ length: 101 }, (_, index) => `u${index}`);

const letter = (userId: string, changes: object = {}) => ({
  sourceId: "s1",
  type: "track",
  receivedAtMs: START_MS,
  body: Buffer.from(JSON.stringify({ userId })),
  ...changes,
});

const knowing = (...regulations: readonly Regulation[]) =>
  createDeletedUsers({ refresh: async () => undefined, list: () => regulations });

describe("a call of a deleted user", () => {
  const open = regulation({ subjectIds });

  test.each([
    ["while the deletion goes on", open],
    ["when it has ended", ended(open, START_MS + 5)],
  ])("is one of those that it named: %s", (_, known) => {
    const { isOfDeleted } = knowing(regulation({ id: "reg_0", subjectIds: ["x"] }), known);
    expect(subjectIds.filter((userId) => !isOfDeleted(letter(userId)))).toEqual([]);
    expect(["u101", "u", "", "U1"].filter((userId) => isOfDeleted(letter(userId)))).toEqual([]);
  });

  test("is one that was accepted before it, and no later one", () => {
    const { isOfDeleted } = knowing(open);
    expect(isOfDeleted(letter("u1", { receivedAtMs: START_MS + 1 }))).toBe(false);
    const suppressing = regulation({ subjectIds, deletedAtMs: START_MS + 1_000 }, "SUPPRESS_WITH_DELETE");
    expect(knowing(suppressing).isOfDeleted(letter("u1", { receivedAtMs: START_MS + 1_000 }))).toBe(true);
  });

  test("is one of the source that the deletion was for", () => {
    const { isOfDeleted } = knowing(regulation({ subjectIds, sourceId: "s1" }));
    expect([isOfDeleted(letter("u1")), isOfDeleted(letter("u1", { sourceId: "s2" }))]).toEqual([true, false]);
  });

  test("is also an alias from the deleted user to another one", () => {
    const alias = { type: "alias", body: Buffer.from('{"userId":"new","previousId":"u1"}') };
    expect(knowing(open).isOfDeleted(letter("", alias))).toBe(true);
  });

  test("is not the notification of a deletion, nor one of a user who is only suppressed", () => {
    expect(knowing(open).isOfDeleted(letter("u1", { type: "delete" }))).toBe(false);
    expect(knowing(regulation({ subjectIds }, "SUPPRESS_ONLY")).isOfDeleted(letter("u1"))).toBe(false);
  });

  test("is known by its userId, where only that is there; an alias may name a user whom its userId does not", () => {
    const { mayBeOfDeleted } = knowing(open);
    const known = { sourceId: "s1", type: "track", receivedAtMs: START_MS };
    expect(["u1", "u101", null].map((userId) => mayBeOfDeleted({ ...known, userId }))).toEqual([
      true,
      false,
      false,
    ]);
    expect(mayBeOfDeleted({ ...known, type: "alias", userId: "u101" })).toBe(true);
    expect(mayBeOfDeleted({ ...known, receivedAtMs: START_MS + 1, userId: "u1" })).toBe(false);
  });

  test("may be named in what was refused: by one of its users, or where nobody can tell", () => {
    const { mayNameDeleted } = knowing(regulation({ subjectIds, sourceId: "s1" }));
    const refused = { sourceId: "s1", receivedAtMs: START_MS };
    const of = (userIds: string[] | null, changes: object = {}) =>
      mayNameDeleted({ ...refused, userIds, ...changes });
    expect([of(["x", "u1"]), of(["x"]), of([]), of(null)]).toEqual([true, false, false, true]);
    expect([of(null, { receivedAtMs: START_MS + 1 }), of(null, { sourceId: "s2" })]).toEqual([false, false]);
  });
});
