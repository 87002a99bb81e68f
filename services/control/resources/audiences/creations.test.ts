import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { AudienceConfig } from "#topics";
import { ProblemError, refused } from "../../http/problem.ts";
import { createChangeQueue } from "../../records/change-queue.ts";
import { Slices } from "../../records/profiles/slices.ts";
import { StaleEdit } from "../../records/sole-writer.ts";
import { createCreations } from "./creations.ts";
import type { AudienceParts } from "./parts.ts";

/** Control with a store in memory, which is as slow as a Kafka far away. */
function setup({ fails = () => undefined }: { fails?: (name: string) => Error | undefined } = {}) {
  const written: AudienceConfig[] = [];
  let [refreshes, ids] = [0, 0];
  const audiences: Partial<AudienceParts["audiences"]> = {
    list: () => [...written],
    async refresh() {
      refreshes += 1;
      await systemHost.delay(20);
    },
    async replace({ after }) {
      await systemHost.delay(20);
      const error = fails(after.name);
      if (error !== undefined) throw error;
      written.push(after);
    },
  };
  const create = createCreations({
    audiences: audiences as AudienceParts["audiences"],
    audienceProgress: { get: () => undefined },
    sizeRows: { isCounted: () => true, of: () => [] },
    profilePartitions: 1,
    eventsSince: async () => 0,
    pace: { backfillPerSecond: 1_000 },
    slices: new Slices(systemHost),
    changes: createChangeQueue(systemHost, { turnWithinMs: 3_000 }),
    ids: { newAudienceId: () => `aud_${ids++}`, newComputedTraitId: () => `trt_${ids++}` },
    telemetry: { changed: () => undefined },
    host: systemHost,
    nowMs: () => 1,
  });
  const make = (name: string, definition: object = { event: "A" }) =>
    create({
      resource: "audience",
      by: { token: "t", requestId: "r" },
      body: { name, definition },
      check(problems) {
        if (problems.length > 0) throw refused([...problems]);
      },
    });
  return { make, written, refreshes: () => refreshes };
}

test("sixty that are made at once are made in two turns, whoever waits for each", async () => {
  const { make, refreshes, written } = setup();
  const made = await Promise.all(Array.from({ length: 60 }, (_, index) => make(`Audience ${index}`)));
  expect([new Set(made.map(({ id }) => id)).size, written.length]).toEqual([60, 60]);
  expect(refreshes()).toBeLessThanOrEqual(2);
});

test("a key is given once, and the others are made", async () => {
  const { make, written } = setup();
  const [first, again, other] = await Promise.allSettled([make("Same"), make("Same"), make("Other")]);
  expect([first.status, other.status]).toEqual(["fulfilled", "fulfilled"]);
  expect(again).toMatchObject({ status: "rejected", reason: { errors: [{ path: "name" }] } });
  expect(written.map(({ key }) => key)).toEqual(["same", "other"]);
});

test("one that names another one is made after it, and not when that was not made", async () => {
  const { make, written } = setup();
  await Promise.all([make("First"), make("Second"), make("Third", { audience: "second" })]);
  expect(written.map(({ key }) => key)).toEqual(["first", "second", "third"]);
  const failing = setup({ fails: (name) => (name === "Second" ? new Error("no answer") : undefined) });
  const outcomes = await Promise.allSettled([
    failing.make("First"),
    failing.make("Second"),
    failing.make("Third", { audience: "second" }),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
});

test("where another process wrote, it alone is decided again", async () => {
  let tries = 0;
  const fails = (name: string) =>
    name === "Slow" && tries++ === 0 ? new StaleEdit("another process wrote") : undefined;
  const { make, written } = setup({ fails });
  await Promise.all([make("Quick"), make("Slow")]);
  expect(written.map(({ name }) => name)).toEqual(["Quick", "Slow"]);
  expect(tries).toBe(2);
});

test("one whose turn does not come is not begun", async () => {
  const { make, written } = setup({ fails: () => undefined });
  const { make: stuckMake } = setup({ fails: () => new StaleEdit("always") });
  await expect(stuckMake("Never")).rejects.toBeInstanceOf(ProblemError);
  await make("Fine");
  expect(written).toHaveLength(1);
});
