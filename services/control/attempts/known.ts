import { existingDestination } from "../destinations/existing.ts";
import type { AttemptParts } from "./parts.ts";

/** The id of a destination that is there, or was, and of which something is kept. Throws a 404 otherwise. */
export function knownDestination(parts: AttemptParts, id: string): string {
  return parts.deliveries.index.knowsDestination(id) ? id : existingDestination(parts, id).id;
}
