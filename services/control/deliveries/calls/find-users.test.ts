import { expect, test } from "@jest/globals";
import type { ListedDeadLetter } from "../index/dead-letters-table.ts";
import { findCalls } from "./find.ts";
import type { CallParts } from "./parts.ts";

const letter = (userId: string | null, place: number): ListedDeadLetter =>
  ({ id: `l${place}`, place, destinationId: "d1", sourceId: "s1", userId, anonymousId: null }) as never;

function partsOf(letters: readonly ListedDeadLetter[]): CallParts {
  return {
    deliveries: {
      index: {
        listAttempts: () => [],
        listDeadLetters: (_: object, { limit }: { readonly limit: number }) => letters.slice(0, limit),
        listRoutedCalls: async () => [],
      },
      progress: { indexedUntilMs: () => 0 },
    },
    destinations: { get: () => undefined, in: () => [] },
    replays: { list: () => [] },
    deletedUsers: { mayBeOfDeleted: () => false },
    waiting: { scan: async () => undefined, decode: () => Promise.reject(new Error("nothing waits")) },
    routedUpTo: async () => new Map(),
    untilIndexed: async () => true,
    host: { setTimeout: () => ({ clear: () => undefined }) },
  };
}

const ASKED = { messageId: "m1", sourceId: undefined, user: undefined };

test("each user's call is one, and what is older than its user is everybody's", async () => {
  const found = await findCalls(partsOf([letter("u1", 0), letter("u2", 1), letter(null, 2)]), ASKED);
  const seen = found.calls.map(({ traces, userId }) => [
    userId,
    traces.flatMap(({ deadLetters }) => deadLetters.map(({ id }) => id)),
  ]);
  expect(seen).toEqual([
    ["u2", ["l2", "l1"]],
    ["u1", ["l2", "l0"]],
  ]);
  expect(found.isComplete).toBe(true);
});

test.each([
  [999, 50, true],
  [1_000, 50, false],
  [999, 101, false],
])("of %i entries of %i users it says whether that is all: %s", async (count, users, isComplete) => {
  const letters = Array.from({ length: count }, (_, place) => letter(`u${place % users}`, place));
  const found = await findCalls(partsOf(letters), ASKED);
  expect([found.calls.length, found.isComplete]).toEqual([Math.min(users, 100), isComplete]);
});
