// Where one call goes (contract 1.2, 1.4, 4.1, 4.3). Pure.
import { isIntegrationEnabled } from "#contract";
import type { Call, DestinationConfig } from "#topics";

/** Why a call goes nowhere. A closed list: it is also a metric label. */
export const DROP_REASONS = ["integration_off", "no_destination", "call_type_off"] as const;
export type DropReason = (typeof DROP_REASONS)[number];

export type Route =
  | { readonly kind: "forward"; readonly destinations: readonly DestinationConfig[] }
  | { readonly kind: "drop"; readonly reason: DropReason };

/** What routing looks at in a call. */
export type RoutedCall = Pick<Call, "type" | "integrations">;

/** Deletion requests notify every destination of the source, whatever call types it takes (contract 5.1). */
const ALWAYS_SENT = "delete";

function takes(destination: DestinationConfig, type: string): boolean {
  return destination.callTypes === null || type === ALWAYS_SENT || destination.callTypes.includes(type);
}

/** `destinations` are the enabled ones of the call's source. */
export function route(call: RoutedCall, destinations: readonly DestinationConfig[]): Route {
  if (!isIntegrationEnabled(call.integrations)) return { kind: "drop", reason: "integration_off" };
  if (destinations.length === 0) return { kind: "drop", reason: "no_destination" };
  const taking = destinations.filter((destination) => takes(destination, call.type));
  if (taking.length === 0) return { kind: "drop", reason: "call_type_off" };
  return { kind: "forward", destinations: taking };
}
