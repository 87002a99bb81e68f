import type { Host } from "#host";
import { wasDeleted } from "../../http/audit/deleted.ts";
import type { AuditLogParts } from "../../http/audit/parts.ts";
import { notFound } from "../../http/problem.ts";
import type { DestinationLookup } from "../../resources/destinations/existing.ts";
import type { DeliveryIndex } from "../index/delivery-index.ts";

interface KnownParts extends DestinationLookup, AuditLogParts {
  readonly deliveries: { readonly index: Pick<DeliveryIndex, "knowsDestination"> };
  readonly host: Pick<Host, "setTimeout">;
}

/** Throws a 404 for a destination that is not there and never was, with the field that named it beside the path; of one that was deleted something may still come to be known. */
export async function checkDestination(parts: KnownParts, id: string, path?: string): Promise<void> {
  const { deliveries, destinations } = parts;
  const isKnown =
    destinations.get(id) !== undefined ||
    (await deliveries.index.knowsDestination(id)) ||
    (await wasDeleted(parts, "destination", id));
  if (!isKnown) throw notFound("destination", id, path);
}
