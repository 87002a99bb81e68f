import type { DestinationConfig } from "#topics";
import { notFound } from "../../http/problem.ts";
import type { ConfigStore } from "../../records/config-store.ts";

export interface DestinationLookup {
  readonly destinations: Pick<ConfigStore<DestinationConfig>, "get">;
}

/** Throws a 404. */
export function existingDestination({ destinations }: DestinationLookup, id: string): DestinationConfig {
  const destination = destinations.get(id);
  if (destination === undefined) throw notFound("destination", id);
  return destination;
}
