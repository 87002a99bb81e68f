import { expect, test } from "@jest/globals";
import { systemHost } from "#host";
import type { AudienceConfig, AudienceProgress } from "#topics";
import { Slices } from "../../records/profiles/slices.ts";
import { createAudience } from "./audience.ts";
import { progressOf } from "./fixtures/progress.ts";
import type { AudienceParts } from "./parts.ts";
import { preparationOf } from "./preparation.ts";

const NOW_MS = 1_800_000_000_000;
const DAY_MS = 86_400_000;
const SUM = { event: "A", within: "30d", count: { op: "gte", value: 60 } };

function audience(id: string, definition: object): AudienceConfig {
  return createAudience({ id, resource: "audience", key: id, name: id, definition }, NOW_MS);
}

function parts({ configs = [], live = [] }: { configs?: AudienceConfig[]; live?: AudienceProgress[] } = {}) {
  const asked: number[] = [];
  const all: Pick<AudienceParts, "audienceProgress" | "eventsSince" | "nowMs" | "pace" | "slices"> = {
    audienceProgress: { get: (key) => live.find(({ id }) => key.includes(id)) },
    eventsSince: async (fromMs) => {
      asked.push(fromMs);
      return 60_000;
    },
    nowMs: () => NOW_MS,
    pace: { backfillPerSecond: 20_000 },
    slices: new Slices(systemHost),
  };
  const audiences = { list: () => configs } as unknown as AudienceParts["audiences"];
  return { asked, given: { ...all, audiences, profilePartitions: 1 } };
}

test("what looks back on calls that nobody has counted is read from the log, as far as it looks back", async () => {
  const { asked, given } = parts();
  const preparation = await preparationOf(given, audience("a", { all: [SUM, { event: "B" }] }), 100_000);
  expect(preparation).toEqual({ eventsToRead: 60_000, seconds: 8 });
  expect(asked).toEqual([NOW_MS - 30 * DAY_MS]);
});

test("for what profiles know already, or a live audience has counted, nothing is read", async () => {
  const { asked, given } = parts();
  expect(await preparationOf(given, audience("a", { event: "A" }), 40_000)).toEqual({
    eventsToRead: 0,
    seconds: 2,
  });
  const counted = parts({ configs: [audience("b", SUM)], live: [progressOf("b", 0)] });
  expect(await preparationOf(counted.given, audience("a", SUM), 0)).toEqual({ eventsToRead: 0, seconds: 0 });
  expect([asked, counted.asked]).toEqual([[], []]);
});

test("where Kafka does not say how long the log is nothing is said", async () => {
  const { given } = parts();
  const eventsSince = () => Promise.reject(new Error("no broker"));
  expect(await preparationOf({ ...given, eventsSince }, audience("a", SUM), 0)).toBeUndefined();
});
