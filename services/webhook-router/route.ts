// The route of one call (contract 1.2, 1.4, 4.1, 4.3, 4.4). Pure.
import { filterOf, passesFilter } from "#audiences";
import {
  type DropReason,
  isAlwaysSent,
  isIntegrationEnabled,
  type PassedOverReason,
  parseExactJson,
  takesEvent,
  takesType,
  type UnroutedReason,
} from "#contract";
import type { Call, PassedOver } from "#topics";
import type { RoutedDestination } from "./destination-index.ts";

export type Route =
  | { readonly kind: "forward"; readonly destinations: readonly RoutedDestination[] }
  | { readonly kind: "drop"; readonly reason: UnroutedReason };

/** The outcome for a call: a duplicate is not routed, nor is a suppressed user's. */
export type Outcome = Route | { readonly kind: "drop"; readonly reason: "duplicate" | "suppressed" };

/** The members of a call that routing looks at. */
export type CallToRoute = Pick<Call, "type" | "event" | "integrations" | "body">;

/**
 * The filters of destinations, asked one after the other: all of them may take longer than a turn of the event loop has. The clock is looked
 * at before each: the worst ones take some 5 ms, ordinary ones a microsecond, the look 0.05.
 */
export class Filtering {
  readonly kind = "filtering";
  readonly #call: CallToRoute;
  readonly #destinations: readonly RoutedDestination[];
  readonly #passed: RoutedDestination[] = [];
  /** The call, parsed once for all filters. */
  #root: unknown;
  #asked = 0;

  constructor(call: CallToRoute, destinations: readonly RoutedDestination[]) {
    this.#call = call;
    this.#destinations = destinations;
  }

  /** Asks while there is time; undefined when some are left. */
  ask(hasTime: () => boolean): Route | undefined {
    for (const destination of this.#destinations.slice(this.#asked)) {
      if (!hasTime()) return undefined;
      this.#asked += 1;
      if (this.#passes(destination)) this.#passed.push(destination);
    }
    return this.#passed.length === 0
      ? { kind: "drop", reason: "filter_off" }
      : { kind: "forward", destinations: this.#passed };
  }

  #passes(destination: RoutedDestination): boolean {
    const filter = filterOf(destination);
    if (filter === undefined) return true;
    this.#root ??= parseExactJson(this.#call.body.toString());
    return passesFilter(filter, this.#root);
  }
}

/** `destinations` are the enabled ones of the call's source. */
export function route(call: CallToRoute, destinations: readonly RoutedDestination[]): Route | Filtering {
  if (!isIntegrationEnabled(call.integrations)) return { kind: "drop", reason: "integration_off" };
  if (destinations.length === 0) return { kind: "drop", reason: "no_destination" };
  const takingType = destinations.filter((destination) => takesType(destination, call));
  if (takingType.length === 0) return { kind: "drop", reason: "call_type_off" };
  const taking = takingType.filter((destination) => takesEvent(destination, call));
  if (taking.length === 0) return { kind: "drop", reason: "event_off" };
  const isSentAnyway = isAlwaysSent(call) || taking.every(({ filter }) => filter === null);
  return isSentAnyway ? { kind: "forward", destinations: taking } : new Filtering(call, taking);
}

/**
 * The other destinations of its source, each with why it does not get the call; `destinations` are those that `route` chose from. A
 * duplicate was compared with none of them.
 */
export function whyPassedOver(
  call: CallToRoute,
  outcome: Outcome,
  destinations: readonly RoutedDestination[],
): PassedOver[] {
  if (outcome.kind === "drop" && outcome.reason === "duplicate") return [];
  const ofAll = outcome.kind === "drop" ? ofEachDestination(outcome.reason) : undefined;
  const taking = new Set(outcome.kind === "forward" ? outcome.destinations : []);
  return destinations
    .filter((destination) => !taking.has(destination))
    .map((destination) => ({
      destinationId: destination.id,
      reason: ofAll ?? whyNot(call, destination),
    }));
}

/** Why none of them was compared with the call. */
function ofEachDestination(reason: DropReason): PassedOverReason | undefined {
  return reason === "integration_off" || reason === "suppressed" ? reason : undefined;
}

/**
 * Tells why a destination that was compared with the call does not get it, without parsing its filter again.
 */
function whyNot(call: CallToRoute, destination: RoutedDestination): PassedOverReason {
  if (!takesType(destination, call)) return "call_type_off";
  return takesEvent(destination, call) ? "filter_off" : "event_off";
}
