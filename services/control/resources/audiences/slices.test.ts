// Looks at many profiles are cut into slices, whatever one profile costs: nobody else's request waits for them.
import { expect, test } from "@jest/globals";
import { createProfile } from "#audiences";
import type { AudienceConfig } from "#topics";
import type { ProfileReader } from "../../records/profiles/replica.ts";
import { Slices } from "../../records/profiles/slices.ts";
import { createAudience } from "./audience.ts";
import type { MemberParts } from "./member-parts.ts";
import { membersCsv } from "./members.ts";
import { overlapOf } from "./overlap.ts";
import { previewOf } from "./preview.ts";

/** A world in which each look at a profile takes so long; `reads` counts the looks of each turn, from the one in which requests come. */
function setup(count: number, lookMs: number) {
  let elapsedMs = 0;
  const reads: number[] = [0];
  const host = {
    elapsed: () => elapsedMs,
    setImmediate(work: () => void) {
      setImmediate(() => {
        reads.push(0);
        work();
      });
      return { clear: () => undefined };
    },
  };
  function read<T>(value: T): Promise<T> {
    elapsedMs += lookMs;
    reads.push((reads.pop() ?? 0) + 1);
    return Promise.resolve(value);
  }
  const ids = Array.from({ length: count }, (_, index) => `u${String(index).padStart(5, "0")}`);
  const profiles: Pick<ProfileReader, "count" | "partitions" | "ids" | "read" | "sentOf"> = {
    count,
    partitions: 1,
    ids: (_, after = "") => ids.filter((id) => id > after),
    read: (_, id) => read({ ...createProfile(id, 0), judgedAtMs: 1 }),
    sentOf: () => read({ incarnation: 0, lists: [], results: [], redirectTo: null }),
  };
  const parts = {
    host,
    nowMs: () => 0,
    slices: new Slices(host),
    profiles,
    profilePartitions: 1,
    pace: { backfillPerSecond: 1_000 },
    audiences: { list: () => [] },
    audienceProgress: { get: () => undefined },
  };
  /** An audience whose definition is looked at like a profile. */
  const costly = (): AudienceConfig => ({
    ...AUDIENCE,
    get definition() {
      void read(undefined);
      return AUDIENCE.definition;
    },
  });
  return { parts: parts as unknown as MemberParts, reads, costly };
}

const unexplained = async () => ({});
const AUDIENCE = createAudience(
  { id: "p", resource: "audience", key: "p", name: "P", definition: { trait: "a", op: "exists" } },
  1,
);

test("a preview goes on in another turn of the event loop after five milliseconds", async () => {
  const { parts, reads } = setup(300, 2);
  expect(await previewOf(parts, AUDIENCE, unexplained)).toMatchObject({ profilesJudged: 300, isExact: true });
  expect(Math.max(...reads)).toBe(3);
});

test("a preview ends after five seconds, also among profiles that take long each", async () => {
  const { parts, reads } = setup(300, 100);
  expect(await previewOf(parts, AUDIENCE, unexplained)).toMatchObject({
    profilesJudged: 51,
    isExact: false,
    countError: 249,
  });
  expect(Math.max(...reads)).toBe(1);
});

test("a hundred previews that come at once hold the event loop no longer than one", async () => {
  const { costly, parts, reads } = setup(10, 2);
  await Promise.all(Array.from({ length: 100 }, () => previewOf(parts, costly(), unexplained)));
  expect(Math.max(...reads)).toBe(3);
});

test("an overlap looks at profiles in slices, and ends after five seconds with what it is certain of", async () => {
  const quick = setup(300, 2);
  expect(await overlapOf(quick.parts, "p", "q")).toMatchObject({ profilesLookedAt: 300, isExact: true });
  expect(Math.max(...quick.reads)).toBe(3);
  const slow = setup(300, 100);
  expect(await overlapOf(slow.parts, "p", "q")).toMatchObject({
    ...{ profilesLookedAt: 51, isExact: false },
    both: { count: 0, error: 249 },
  });
});

test("so do a hundred exports", async () => {
  const { parts, reads } = setup(10, 2);
  const read = async () => {
    for await (const row of membersCsv(parts, { id: "p", of: "users" }, (text) => text))
      expect(row).toContain("userId");
  };
  await Promise.all(Array.from({ length: 100 }, read));
  expect(Math.max(...reads)).toBe(3);
});

test("an export looks at profiles in slices", async () => {
  const { parts, reads } = setup(300, 2);
  const rows: string[] = [];
  for await (const row of membersCsv(parts, { id: "p", of: "users" }, (text) => text)) rows.push(row);
  expect([rows, Math.max(...reads)]).toEqual([["userId,anonymousId,since\r\n"], 3]);
});
