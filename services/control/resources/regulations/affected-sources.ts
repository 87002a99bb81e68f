import { isDeletion } from "#contract";
import { type DestinationListing, ofSource } from "../destinations/configured.ts";
import type { SourceListing } from "../sources/configured.ts";
import type { RegulationRequest } from "./regulation.ts";

interface Configured {
  readonly sources: Pick<SourceListing, "rows">;
  readonly destinations: Pick<DestinationListing, "hasAny" | "rows">;
}

/**
 * Sources whose receivers are to be notified, or which a suppression is about. Of a deletion all those with an enabled destination: who
 * of them has called is not known to this service.
 */
export async function affectedSources(
  { destinations, sources }: Configured,
  { regulationType, sourceId }: Pick<RegulationRequest, "regulationType" | "sourceId">,
): Promise<string[]> {
  const isOfDestinations = isDeletion(regulationType);
  if (sourceId === null) return isOfDestinations ? await connectedIds(destinations) : await allIds(sources);
  return !isOfDestinations || isConnected(destinations, sourceId) ? [sourceId] : [];
}

async function allIds(sources: Configured["sources"]): Promise<string[]> {
  const found: string[] = [];
  for await (const rows of sources.rows()) for (const { id } of rows) found.push(id);
  return found;
}

async function connectedIds(destinations: Configured["destinations"]): Promise<string[]> {
  const found = new Set<string>();
  for await (const rows of destinations.rows())
    for (const { enabled, sourceIds } of rows) if (enabled) for (const id of sourceIds) found.add(id);
  return [...found].sort();
}

/** Whether the source has an enabled destination; each destination has a webhook. */
export function isConnected(destinations: Pick<DestinationListing, "hasAny">, sourceId: string): boolean {
  return destinations.hasAny(ofSource(sourceId), ({ enabled }) => enabled);
}
