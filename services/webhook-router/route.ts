// Where one call goes (contract 1.2, 1.4, 4.1, 4.3, 4.4). Pure.
import { filterOf, passesFilter } from "#audiences";
import { isIntegrationEnabled, type PassedOverReason, type UnroutedReason } from "#contract";
import type { Call, DestinationConfig, PassedOver } from "#topics";

export type Route =
  | { readonly kind: "forward"; readonly destinations: readonly DestinationConfig[] }
  | { readonly kind: "drop"; readonly reason: UnroutedReason };

/** What becomes of a call: a duplicate is not routed. */
export type Outcome = Route | { readonly kind: "drop"; readonly reason: "duplicate" };

/** What routing looks at in a call. */
export type CallToRoute = Pick<Call, "type" | "event" | "integrations" | "body">;

/** Deletion requests notify every destination of the source, whatever call types it takes (contract 5.1). */
const ALWAYS_SENT = "delete";

function takesType({ callTypes }: DestinationConfig, type: string): boolean {
  return callTypes === null || type === ALWAYS_SENT || callTypes.includes(type);
}

/** The list names track calls; calls of other types have no event and are not its business (contract 4.4). */
function takesEvent({ events }: DestinationConfig, { type, event }: CallToRoute): boolean {
  return events === null || type !== "track" || events.includes(event ?? "");
}

/** Parses the call once for all filters. */
function passing(
  { type, body }: CallToRoute,
  destinations: readonly DestinationConfig[],
): readonly DestinationConfig[] {
  if (type === ALWAYS_SENT) return destinations;
  const root: unknown = JSON.parse(body.toString());
  return destinations.filter((destination) => {
    const filter = filterOf(destination);
    return filter === undefined || passesFilter(filter, root);
  });
}

/** `destinations` are the enabled ones of the call's source. */
export function route(call: CallToRoute, destinations: readonly DestinationConfig[]): Route {
  if (!isIntegrationEnabled(call.integrations)) return { kind: "drop", reason: "integration_off" };
  if (destinations.length === 0) return { kind: "drop", reason: "no_destination" };
  const takingType = destinations.filter((destination) => takesType(destination, call.type));
  if (takingType.length === 0) return { kind: "drop", reason: "call_type_off" };
  const taking = takingType.filter((destination) => takesEvent(destination, call));
  if (taking.length === 0) return { kind: "drop", reason: "event_off" };
  // Most sources have no filter: the call is parsed for one alone.
  if (taking.every(({ filter }) => filter === null)) return { kind: "forward", destinations: taking };
  const passed = passing(call, taking);
  return passed.length === 0
    ? { kind: "drop", reason: "filter_off" }
    : { kind: "forward", destinations: passed };
}

/**
 * The other destinations of its source, each with why it does not get the call; `destinations` are those that `route` chose from. A
 * duplicate was compared with none of them.
 */
export function whyPassedOver(
  call: CallToRoute,
  outcome: Outcome,
  destinations: readonly DestinationConfig[],
): PassedOver[] {
  if (outcome.kind === "drop" && outcome.reason === "duplicate") return [];
  const isOff = outcome.kind === "drop" && outcome.reason === "integration_off";
  const taking = outcome.kind === "forward" ? outcome.destinations : [];
  return destinations
    .filter((destination) => !taking.includes(destination))
    .map((destination) => ({
      destinationId: destination.id,
      reason: isOff ? "integration_off" : whyNot(call, destination),
    }));
}

/** Of a destination that was compared with the call: what it takes is not parsed again. */
function whyNot(call: CallToRoute, destination: DestinationConfig): PassedOverReason {
  if (!takesType(destination, call.type)) return "call_type_off";
  return takesEvent(destination, call) ? "filter_off" : "event_off";
}
