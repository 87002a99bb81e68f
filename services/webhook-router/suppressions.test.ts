import { expect, test } from "@jest/globals";
import { suppressionKey, userHash } from "#topics";
import { call } from "./fixtures/calls.ts";
import { followSuppressions, isSuppressed } from "./suppressions.ts";

const AT_MS = 1_700_000_000_000;

const suppressing = (...users: readonly (readonly [sourceId: string | null, userId: string])[]) =>
  new Map(users.map(([source, user]) => [suppressionKey(source, userHash(user)), { atMs: AT_MS }]));

const accepted = (afterMs: number, changes: object = {}) =>
  call({ userId: "u1", receivedAtMs: AT_MS + afterMs, ...changes });

test("a call that was accepted more than a second after its user's suppression is of a suppressed user", () => {
  const table = suppressing([null, "u1"]);
  expect([1_001, 1_000, -5].map((afterMs) => isSuppressed(table, accepted(afterMs)))).toEqual([
    true,
    false,
    false,
  ]);
  expect(isSuppressed(suppressing(), accepted(5_000))).toBe(false);
});

test("a suppression of one source is about its calls alone", () => {
  const table = suppressing(["shop", "u1"]);
  expect(isSuppressed(table, accepted(5_000))).toBe(true);
  expect(isSuppressed(table, accepted(5_000, { sourceId: "other" }))).toBe(false);
  expect(isSuppressed(table, accepted(5_000, { userId: "u2" }))).toBe(false);
  expect(isSuppressed(table, accepted(5_000, { userId: null, anonymousId: "u1" }))).toBe(false);
});

test("an alias names the user as its previousId, too; the notification of a deletion passes", () => {
  const table = suppressing([null, "u1"]);
  const body = (previousId: unknown) => Buffer.from(JSON.stringify({ previousId }));
  const alias = (previousId: unknown) =>
    accepted(5_000, { type: "alias", userId: "u2", body: body(previousId) });
  expect(isSuppressed(table, alias("u1"))).toBe(true);
  expect(isSuppressed(table, alias(7))).toBe(false);
  expect(isSuppressed(table, accepted(5_000, { userId: "u2", body: body("u1") }))).toBe(false);
  expect(isSuppressed(table, accepted(5_000, { type: "delete" }))).toBe(false);
});

test.each([
  ["is not asked for while nobody is suppressed", 0, "table_timeout", []],
  ["of a topic that has lost its records is not waited for", 1, "records_lost", ["look"]],
  ["that does not come in time is waited for", 1, "table_timeout", ["look", "load"]],
])("the end of suppressions %s", async (_, size, code, wanted) => {
  const asked: string[] = [];
  const table = {
    size,
    load: async () => void asked.push("load"),
    async look() {
      asked.push("look");
      throw Object.assign(new Error(code), { code });
    },
  };
  const context = { health: { readiness: () => undefined } };
  const connection = { kafka: { table: () => table }, topics: { suppressions: {}, suppressionsBegun: {} } };
  await followSuppressions(context as never, connection as never).confirm();
  expect(asked).toEqual(wanted);
});
