import type { DestinationConfig } from "#topics";
import { healthView } from "../health/view.ts";
import { destinationView } from "./destination.ts";
import type { DestinationParts } from "./parts.ts";

/** A destination as answers show it, with its health. */
export function destinationViewOf(
  destination: DestinationConfig,
  { health, nowMs }: Pick<DestinationParts, "health" | "nowMs">,
) {
  return {
    ...destinationView(destination, nowMs()),
    health: healthView(destination, health.of(destination.id)),
  };
}
