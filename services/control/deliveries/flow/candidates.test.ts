import { expect, test } from "@jest/globals";
import { destination } from "#support/records";
import type { DestinationConfig } from "#topics";
import { listingOf } from "../../records/fixtures/listing.ts";
import { groupsOf } from "../../resources/destinations/configured.ts";
import { createSource } from "../../resources/sources/source.ts";
import type { FlowBetween } from "../index/flow-between.ts";
import { between } from "./between.ts";
import { shownDestinations, shownSources } from "./candidates.ts";

const DOWN = "https://down.test/";
const COUNT = 1_500;

function draw(at: number, share: number, isStuck: (one: DestinationConfig) => boolean) {
  const all = Array.from({ length: COUNT }, (_, number) =>
    destination({
      ...{ id: `d${number}`, name: `d${number}`, createdAtMs: (number * 7) % 400, sourceIds: [`s${number}`] },
      pausedAtMs: number % share === 1 ? 5 : null,
      enabled: number % 5 !== 0,
      webhooks: [{ url: number % share === 2 ? DOWN : `https://up.test/${number}`, headers: [] }],
    }),
  );
  const failing = new Set(all.filter((_, number) => number % share === 3).map(({ id }) => id));
  const sums: FlowBetween[] = Array.from({ length: 60 }, (_, index) => {
    const number = (index * at) % (COUNT + 100);
    const stage = (["sent", "dead", "passed_over"] as const)[index % 3] ?? "sent";
    return { sourceId: `s${number}`, destinationId: `d${number}`, stage, calls: (index % 4) + 1 };
  });
  const parts = {
    destinations: listingOf(() => all, groupsOf),
    health: { of: () => undefined, failing, forget: () => undefined },
    breakers: { of: () => ({ state: "closed", nextProbeAtMs: null }) as const, urls: () => [DOWN] },
  };
  const byAge = parts.destinations.rows({ atOnce: COUNT });
  return {
    all,
    byAge,
    isStuck: (one: DestinationConfig) => isStuck(one) || failing.has(one.id),
    parts,
    sums,
  };
}

const stuck = ({ enabled, pausedAtMs, webhooks }: DestinationConfig): boolean =>
  enabled && (pausedAtMs !== null || webhooks.some(({ url }) => url === DOWN));

test.each([
  [37, 500],
  [41, 40],
  [43, 4],
  [1, 5_000],
])(
  "the destinations that are shown are those of a look at all of them (%i, each %ith is stuck)",
  async (at, share) => {
    const { byAge, isStuck, parts, sums } = draw(at, share, stuck);
    const shownOf = (all: readonly DestinationConfig[]) =>
      between(
        { sums, waiting: [] },
        { sources: [], destinations: all.map((one) => ({ ...one, isStuck: isStuck(one) })) },
      );
    const candidates = await shownDestinations(parts, sums, isStuck);
    expect(candidates.length).toBeLessThanOrEqual(60);
    for await (const all of byAge) expect(shownOf(candidates)).toEqual(shownOf(all));
  },
);

test("the sources that are shown are those of a look at all of them", async () => {
  const all = Array.from({ length: 300 }, (_, number) => {
    const id = `s${number}`;
    return createSource({ id, name: id, writeKey: id }, (number * 7) % 100);
  });
  const sources = listingOf(() => all);
  const sums = Array.from({ length: 50 }, (_, index): FlowBetween => {
    const stage = (["routed", "refused", "sent", "failed"] as const)[index % 4] ?? "routed";
    return {
      sourceId: `s${(index * 31) % 400}`,
      destinationId: stage === "sent" ? "d" : "",
      stage,
      calls: 2,
    };
  });
  const shown = await shownSources({ sources }, sums);
  for await (const rows of sources.rows({ atOnce: 300 }))
    expect(between({ sums, waiting: [] }, { sources: shown, destinations: [] })).toEqual(
      between({ sums, waiting: [] }, { sources: rows, destinations: [] }),
    );
  expect(shown.length).toBeLessThanOrEqual(40);
});
