// Which sources and destinations the picture of the flow may show: of a million nobody looks at more than a thousand.
import type { DestinationConfig } from "#topics";
import { byAge, type Listed } from "../../http/pages.ts";
import { ofUrl, PAUSED } from "../../resources/destinations/configured.ts";
import type { FlowBetween } from "../index/flow-between.ts";
import { MOST_SHOWN } from "./between.ts";
import type { BetweenParts } from "./parts.ts";

/** Where more may be stuck, those that are looked for are soon found among the oldest. */
const MOST_LOOKED_AT = 1_000;

type Destinations = BetweenParts["destinations"];

/** Entries that are shown first are among them: the oldest that are stuck, the busiest, and the oldest, in the order of their age. */
export async function shownDestinations(
  parts: Pick<BetweenParts, "breakers" | "destinations" | "health">,
  sums: readonly FlowBetween[],
  isStuck: (destination: DestinationConfig) => boolean,
): Promise<DestinationConfig[]> {
  const { destinations } = parts;
  const weights = weighed(
    sums.filter(({ stage }) => stage === "sent" || stage === "dead"),
    "destinationId",
  );
  const ids = [
    ...(await stuckOnes(parts, isStuck)),
    ...busiest(weights, destinations),
    ...(await oldest(destinations)),
  ];
  return [...new Set(ids)].flatMap((id) => destinations.peek(id) ?? []).sort(byAge);
}

const OF_SOURCES: ReadonlySet<string> = new Set(["refused", "dropped", "failed", "routed"]);

export async function shownSources({ sources }: Pick<BetweenParts, "sources">, sums: readonly FlowBetween[]) {
  const ofSources = sums.filter(({ destinationId, stage }) => destinationId === "" && OF_SOURCES.has(stage));
  const ids = [...busiest(weighed(ofSources, "sourceId"), sources), ...(await oldest(sources))];
  return [...new Set(ids)].flatMap((id) => sources.peek(id) ?? []).sort(byAge);
}

function weighed(sums: readonly FlowBetween[], by: "sourceId" | "destinationId"): Map<string, number> {
  const weights = new Map<string, number>();
  for (const sum of sums) weights.set(sum[by], (weights.get(sum[by]) ?? 0) + sum.calls);
  return weights;
}

/** Of equals the oldest; of those that are there. */
function busiest(
  weights: ReadonlyMap<string, number>,
  all: { placeOf(id: string): Listed | undefined },
): string[] {
  const there = [...weights].flatMap(([id, weight]) => {
    const place = all.placeOf(id);
    return place === undefined ? [] : { weight, ...place };
  });
  const order = there.sort((one, other) => other.weight - one.weight || byAge(one, other));
  return order.slice(0, MOST_SHOWN).map(({ id }) => id);
}

async function oldest({ rows }: Pick<Destinations, "rows"> | Pick<BetweenParts["sources"], "rows">) {
  for await (const first of rows({ atOnce: MOST_SHOWN })) return first.map(({ id }) => id);
  return [];
}

async function stuckOnes(
  { breakers, destinations, health }: Pick<BetweenParts, "breakers" | "destinations" | "health">,
  isStuck: (destination: DestinationConfig) => boolean,
): Promise<string[]> {
  const stuck = (ids: Iterable<string>): DestinationConfig[] =>
    [...ids].flatMap((id) => destinations.peek(id) ?? []).filter(isStuck);
  const maybe = new Set<string>();
  for (const id of maybeStuck({ breakers, destinations, health })) {
    maybe.add(id);
    if (maybe.size > MOST_LOOKED_AT) break;
  }
  if (maybe.size <= MOST_LOOKED_AT) return firstIds(stuck(maybe).sort(byAge));
  const found: DestinationConfig[] = [];
  for await (const rows of destinations.rows()) {
    found.push(...stuck(rows.map(({ id }) => id)));
    if (found.length >= MOST_SHOWN) break;
  }
  return firstIds(found);
}

function* maybeStuck({
  breakers,
  destinations,
  health,
}: Pick<BetweenParts, "breakers" | "destinations" | "health">): Generator<string> {
  yield* destinations.idsIn(PAUSED);
  yield* health.failing;
  for (const url of breakers.urls()) yield* destinations.idsIn(ofUrl(url));
}

function firstIds(all: readonly DestinationConfig[]): string[] {
  return all.slice(0, MOST_SHOWN).map(({ id }) => id);
}
