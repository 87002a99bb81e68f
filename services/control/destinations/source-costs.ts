// What the filters of a source's destinations cost a router for each call of the source, which is compared with all of them (docs/decisions/0114).
// Bounded when a destination is made or changed; what is kept from before is compared all the same.
import { type DefinitionCost, definitionCost } from "#audiences";
import { isJsonObject } from "#contract";
import type { DestinationConfig } from "#topics";
import type { FieldProblem } from "../http/problem.ts";

interface SourceCost extends DefinitionCost {
  /** Of filters and event names as they are stored: comparing texts, and reading them for the first time, costs by their length. */
  readonly characters: number;
}

type Figure = keyof SourceCost;

/** As much as all audiences may ask of one call: some 20 ms of searches at their worst, and 15 ms of conditions. */
const MAX_SOURCE_COST: SourceCost = { searches: 2_000, conditions: 10_000, characters: 10_000_000 };

const NOTHING: SourceCost = { conditions: 0, searches: 0, characters: 0 };

const WHAT: Readonly<Record<Figure, { readonly of: string; readonly unit: string }>> = {
  searches: { of: "filters", unit: "conditions with contains or not_contains" },
  conditions: { of: "filters", unit: "conditions" },
  characters: { of: "filters and event names", unit: "characters" },
};

const FIGURES: readonly Figure[] = ["searches", "conditions", "characters"];

/** `by` is 1 or -1. */
function sum(cost: SourceCost, other: SourceCost, by = 1): SourceCost {
  return {
    conditions: cost.conditions + by * other.conditions,
    searches: cost.searches + by * other.searches,
    characters: cost.characters + by * other.characters,
  };
}

/** `text` is the filter as JSON. */
function costOf(filter: unknown, text: string, events: readonly unknown[]): SourceCost {
  const names = events.reduce<number>(
    (total, event) => total + (typeof event === "string" ? event.length : 0),
    0,
  );
  return { ...definitionCost(filter), characters: text.length + names };
}

type Costly = Pick<DestinationConfig, "sourceIds" | "filter" | "events">;

function storedCost({ filter, events }: Costly): SourceCost {
  return filter === null ? costOf(null, "", events ?? []) : costOf(JSON.parse(filter), filter, events ?? []);
}

/** By source, kept up to date change by change: there may be a million destinations. One that is switched off counts, so that it can be switched on. */
export class SourceCosts {
  readonly #bySource = new Map<string, SourceCost>();

  /** Sources with filters or event names. */
  get size(): number {
    return this.#bySource.size;
  }

  of(sourceId: string): SourceCost {
    return this.#bySource.get(sourceId) ?? NOTHING;
  }

  /** `after` is undefined when it is deleted, `before` when it was not there. */
  apply(after: Costly | undefined, before: Costly | undefined): void {
    if (before !== undefined) this.#add(before, -1);
    if (after !== undefined) this.#add(after, 1);
  }

  #add(destination: Costly, by: 1 | -1): void {
    const own = storedCost(destination);
    if (own.characters === 0) return;
    for (const sourceId of destination.sourceIds) {
      const cost = sum(this.of(sourceId), own, by);
      if (cost.characters === 0) this.#bySource.delete(sourceId);
      else this.#bySource.set(sourceId, cost);
    }
  }
}

export interface SourceCostRules {
  readonly costs: Pick<SourceCosts, "of">;
  /** What the destination is until now; undefined for a new one. */
  readonly before: DestinationConfig | undefined;
}

type Body = Readonly<Record<string, unknown>>;

/**
 * What brings a source above its bounds. A change that makes nothing dearer for a source is taken whatever the source costs. `body` may have
 * any shape but for its filter, which is one that can be read if it is an object.
 */
export function sourceCostProblems(body: Body, { costs, before }: SourceCostRules): FieldProblem[] {
  const sourceIds = listOf(body["sourceIds"] ?? before?.sourceIds);
  const own = before === undefined ? NOTHING : storedCost(before);
  const given = givenCost(body, before);
  return sourceIds.flatMap((sourceId, index) => {
    if (typeof sourceId !== "string") return [];
    const until = before?.sourceIds.includes(sourceId) === true ? own : NOTHING;
    const total = sum(sum(costs.of(sourceId), until, -1), given);
    const figure = FIGURES.find((one) => given[one] > until[one] && total[one] > MAX_SOURCE_COST[one]);
    if (figure === undefined) return [];
    const { of, unit } = WHAT[figure];
    const message = `brings the ${of} of all destinations of source ${sourceId} to ${total[figure]} ${unit}, at most ${MAX_SOURCE_COST[figure]} are allowed`;
    return [{ path: fieldOf(figure, body) ?? `sourceIds[${index}]`, message }];
  });
}

function givenCost(body: Body, before: Costly | undefined): SourceCost {
  const { filter = before?.filter == null ? null : JSON.parse(before.filter), events = before?.events } =
    body;
  return costOf(filter, isJsonObject(filter) ? JSON.stringify(filter) : "", listOf(events));
}

/** Undefined: the body gives the destination neither filter nor event names, so it is the source that is new. */
function fieldOf(figure: Figure, { filter, events }: Body): string | undefined {
  if (isJsonObject(filter)) return "filter";
  return figure === "characters" && Array.isArray(events) ? "events" : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
