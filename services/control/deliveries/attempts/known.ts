import { wasDeleted } from "../../http/audit/deleted.ts";
import { notFound } from "../../http/problem.ts";
import type { AttemptParts } from "./parts.ts";

/** Throws a 404 for a destination that is not there and never was; of one that was deleted something may still come to be known. */
export async function checkDestination(parts: AttemptParts, id: string): Promise<void> {
  const { deliveries, destinations } = parts;
  const isKnown =
    deliveries.index.knowsDestination(id) ||
    destinations.get(id) !== undefined ||
    (await wasDeleted(parts, "destination", id));
  if (!isKnown) throw notFound("destination", id);
}
