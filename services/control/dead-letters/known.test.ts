import { describe, expect, test } from "@jest/globals";
import { ProblemError } from "../http/problem.ts";
import { checkNamed } from "./known.ts";
import type { DeadLetterParts } from "./parts.ts";

const NEITHER = { destinationId: undefined, replayId: undefined };

function partsWith({ indexedUntilMs, isLoaded }: { indexedUntilMs?: number | undefined; isLoaded: boolean }) {
  return {
    deliveries: {
      index: {
        knowsDestination: (id: string) => id === "deleted",
        countDeadLetters: ({ replayId }: { replayId?: string }) => (replayId === "forgotten" ? 1 : 0),
      },
      progress: { indexedUntilMs: () => indexedUntilMs },
    },
    destinations: { get: (id: string) => (id === "there" ? {} : undefined) },
    replays: { isLoaded, get: (id: string) => (id === "there" ? {} : undefined) },
  } as unknown as DeadLetterParts;
}

const READ = partsWith({ indexedUntilMs: 1, isLoaded: true });

function fieldsOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof ProblemError) return [error.kind, ...error.errors];
    throw error;
  }
  return "known";
}

describe("what a list of dead letters is narrowed by", () => {
  test.each(["there", "deleted"])("is a destination that is %s", (destinationId) => {
    expect(fieldsOf(() => checkNamed(READ, { ...NEITHER, destinationId }))).toBe("known");
  });

  test.each(["there", "forgotten"])("is a replay that is %s", (replayId) => {
    expect(fieldsOf(() => checkNamed(READ, { ...NEITHER, replayId }))).toBe("known");
  });

  test("is not found with its field when nothing is known of it", () => {
    expect(fieldsOf(() => checkNamed(READ, { ...NEITHER, destinationId: "none" }))).toEqual([
      "not_found",
      { path: "destinationId", message: "there is no destination none" },
    ]);
    expect(fieldsOf(() => checkNamed(READ, { ...NEITHER, replayId: "none" }))).toEqual([
      "not_found",
      { path: "replayId", message: "there is no replay none" },
    ]);
  });

  test("may be known while not all that is kept was read", () => {
    const reading = partsWith({ indexedUntilMs: undefined, isLoaded: true });
    expect(fieldsOf(() => checkNamed(reading, { destinationId: "none", replayId: "none" }))).toBe("known");
    const starting = partsWith({ indexedUntilMs: 1, isLoaded: false });
    expect(fieldsOf(() => checkNamed(starting, { ...NEITHER, replayId: "none" }))).toBe("known");
  });
});
