import { describe, expect, test } from "@jest/globals";
import { SPACE_SOURCE } from "#contract";
import { ProblemError } from "../../http/problem.ts";
import { checkNamed, existingDeadLetter } from "./known.ts";
import type { DeadLetterParts } from "./parts.ts";

const NEITHER = { destinationId: undefined, sourceId: undefined, replayId: undefined };

const NOW_MS = 100_000;

function partsWith({ indexedUntilMs, isLoaded }: { indexedUntilMs?: number | undefined; isLoaded: boolean }) {
  return {
    deliveries: {
      index: {
        findDeadLetter: () => undefined,
        knowsDestination: (id: string) => id === "forgotten",
        countDeadLetters: (of: { replayId?: string; sourceId?: string }) =>
          [of.replayId, of.sourceId].includes("forgotten") ? 1 : 0,
      },
      progress: { indexedUntilMs: () => indexedUntilMs },
    },
    nowMs: () => NOW_MS,
    host: { setTimeout: () => ({ clear: () => undefined }) },
    auditLog: {
      refresh: async () => undefined,
      list: ({ resourceId }: { resourceId: string }) =>
        [
          { resource: "destination", resourceId: "deleted", action: "deleted", isMade: true },
          { resource: "source", resourceId: "deleted", action: "deleted", isMade: true },
          { resource: "destination", resourceId: "none", action: "deleted", isMade: false },
          { resource: "replay", resourceId: "none", action: "deleted", isMade: true },
          { resource: "destination", resourceId: "none", action: "created", isMade: true },
        ].filter((entry) => entry.resourceId === resourceId),
    },
    destinations: { get: (id: string) => (id === "there" ? {} : undefined) },
    sources: { get: (id: string) => (id === "there" ? {} : undefined) },
    replays: { isLoaded, get: (id: string) => (id === "there" ? {} : undefined) },
  } as unknown as DeadLetterParts;
}

const READ = partsWith({ indexedUntilMs: NOW_MS, isLoaded: true });

async function fieldsOf(work: () => Promise<void>): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    if (error instanceof ProblemError) return [error.kind, ...error.errors];
    throw error;
  }
  return "known";
}

describe("what a list of dead letters is narrowed by", () => {
  test.each(["there", "deleted", "forgotten"])("is a destination that is %s", async (destinationId) => {
    expect(await fieldsOf(() => checkNamed(READ, { ...NEITHER, destinationId }))).toBe("known");
  });

  test.each(["there", "deleted", "forgotten", SPACE_SOURCE])("is a source that is %s", async (sourceId) => {
    expect(await fieldsOf(() => checkNamed(READ, { ...NEITHER, sourceId }))).toBe("known");
  });

  test.each(["there", "forgotten"])("is a replay that is %s", async (replayId) => {
    expect(await fieldsOf(() => checkNamed(READ, { ...NEITHER, replayId }))).toBe("known");
  });

  test("is not found with its field when nothing is known of it", async () => {
    expect(await fieldsOf(() => checkNamed(READ, { ...NEITHER, destinationId: "none" }))).toEqual([
      "not_found",
      { path: "destinationId", message: "there is no destination none" },
    ]);
    expect(await fieldsOf(() => checkNamed(READ, { ...NEITHER, sourceId: "none" }))).toEqual([
      "not_found",
      { path: "sourceId", message: "there is no source none" },
    ]);
    expect(await fieldsOf(() => checkNamed(READ, { ...NEITHER, replayId: "none" }))).toEqual([
      "not_found",
      { path: "replayId", message: "there is no replay none" },
    ]);
  });

  test("may be known while not all that is kept was read", async () => {
    const reading = partsWith({ indexedUntilMs: 1, isLoaded: true });
    expect(
      await fieldsOf(() =>
        checkNamed(reading, { destinationId: "none", sourceId: "none", replayId: "none" }),
      ),
    ).toBe("known");
    const starting = partsWith({ indexedUntilMs: NOW_MS, isLoaded: false });
    expect(await fieldsOf(() => checkNamed(starting, { ...NEITHER, replayId: "none" }))).toBe("known");
  });
});

test.each([
  [NOW_MS, "not_found"],
  [1, "unavailable"],
  [undefined, "unavailable"],
])("a dead letter that is not there, with the index read until %p, is %s", async (indexedUntilMs, kind) => {
  const parts = partsWith({ indexedUntilMs, isLoaded: true });
  expect(await fieldsOf(async () => void existingDeadLetter(parts, "none"))).toEqual([kind]);
});
