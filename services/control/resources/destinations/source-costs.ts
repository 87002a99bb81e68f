// What the destinations of a source cost a router for each call of the source, which is compared with all of them and becomes a job for each
// (decision 114). Bounded when a destination is made or changed; what is kept from before is routed all the same.
import { type DefinitionCost, definitionCost } from "#audiences";
import { isJsonObject } from "#contract";
import type { DestinationConfig } from "#topics";
import type { FieldProblem } from "../../http/problem.ts";

interface SourceCost extends DefinitionCost {
  readonly destinations: number;
  /** Of filters and event names as they are stored: comparing texts, and reading them for the first time, costs by their length. */
  readonly characters: number;
}

type Figure = keyof SourceCost;

/**
 * As much as all audiences may ask of one call: some 20 ms of searches at their worst, and 15 ms of conditions. The jobs of one call are held
 * together: those of a thousand destinations are 32 MB at most, as much as all calls that a router holds.
 */
const MAX_SOURCE_COST: SourceCost = {
  destinations: 1_000,
  searches: 2_000,
  conditions: 10_000,
  characters: 10_000_000,
};

const NOTHING: SourceCost = { destinations: 0, conditions: 0, searches: 0, characters: 0 };
const WHAT: Readonly<Record<Figure, { readonly of: string; readonly unit: string }>> = {
  destinations: { of: "", unit: "destinations" },
  searches: { of: "the filters of all destinations of ", unit: "conditions with contains or not_contains" },
  conditions: { of: "the filters of all destinations of ", unit: "conditions" },
  characters: { of: "the filters and event names of all destinations of ", unit: "characters" },
};

const FIGURES: readonly Figure[] = ["destinations", "searches", "conditions", "characters"];

/** `by` is 1 or -1. */
function sum(cost: SourceCost, other: SourceCost, by = 1): SourceCost {
  return {
    destinations: cost.destinations + by * other.destinations,
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
  return { destinations: 1, ...definitionCost(filter), characters: text.length + names };
}

type Costly = Pick<DestinationConfig, "sourceIds" | "filter" | "events">;

function storedCost({ filter, events }: Costly): SourceCost {
  return filter === null ? costOf(null, "", events ?? []) : costOf(JSON.parse(filter), filter, events ?? []);
}

/**
 * By source, kept up to date change by change: there may be a million destinations, most of which ask nothing. One that is switched off
 * counts, so that it can be switched on.
 */
export class SourceCosts {
  readonly #countOf: (sourceId: string) => number;
  /** Of the destinations with a filter or event names. */
  readonly #dear = new Map<string, SourceCost>();

  /** `countOf`: how many destinations a source has now. */
  constructor(countOf: (sourceId: string) => number) {
    this.#countOf = countOf;
  }

  /** Sources with destinations that ask something. */
  get size(): number {
    return this.#dear.size;
  }

  of(sourceId: string): SourceCost {
    return { ...(this.#dear.get(sourceId) ?? NOTHING), destinations: this.#countOf(sourceId) };
  }

  /** `after` is undefined when it is deleted, `before` when it was not there. */
  apply(after: Costly | undefined, before: Costly | undefined): void {
    if (before !== undefined) this.#add(before, -1);
    if (after !== undefined) this.#add(after, 1);
  }

  #add(destination: Costly, by: 1 | -1): void {
    if (destination.filter === null && destination.events === null) return;
    const own = storedCost(destination);
    for (const sourceId of destination.sourceIds) {
      const cost = sum(this.#dear.get(sourceId) ?? NOTHING, own, by);
      if (cost.destinations === 0) this.#dear.delete(sourceId);
      else this.#dear.set(sourceId, cost);
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
    const message = `brings ${of}source ${sourceId} to ${total[figure]} ${unit}, at most ${MAX_SOURCE_COST[figure]} are allowed`;
    return [{ path: fieldOf(figure, body) ?? `sourceIds[${index}]`, message }];
  });
}

function givenCost(body: Body, before: Costly | undefined): SourceCost {
  const { filter = before?.filter == null ? null : JSON.parse(before.filter), events = before?.events } =
    body;
  return costOf(filter, isJsonObject(filter) ? JSON.stringify(filter) : "", listOf(events));
}

/** Undefined: the destination is one more of the source, or what it has already is dear. */
function fieldOf(figure: Figure, { filter, events }: Body): string | undefined {
  if (figure === "destinations") return undefined;
  if (isJsonObject(filter)) return "filter";
  return figure === "characters" && Array.isArray(events) ? "events" : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
