import type { DestinationConfig } from "#topics";
import { healthView } from "../health/view.ts";
import { destinationView } from "./destination.ts";
import type { DestinationParts } from "./parts.ts";
import { destinationWarnings } from "./warnings.ts";

/** A destination as answers show it, with its health. */
export function destinationViewOf(
  destination: DestinationConfig,
  { addressPolicy, health, nowMs }: Pick<DestinationParts, "addressPolicy" | "health" | "nowMs">,
) {
  const warnings = destinationWarnings(destination.webhooks, addressPolicy);
  return {
    ...destinationView(destination, nowMs()),
    health: healthView(destination, health.of(destination.id)),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
