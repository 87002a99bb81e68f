// Audiences and computed traits are one kind of record, and two resources of the API.

import type { Table } from "#kafka";
import type { AudienceConfig } from "#topics";
import { notFound } from "../../http/problem.ts";
import type { AudienceParts } from "./parts.ts";

export type AudienceResource = "audience" | "computed_trait";

const RESOURCE_NAMES: Readonly<Record<AudienceResource, string>> = {
  audience: "audience",
  computed_trait: "computed trait",
};

export function resourceOf({ kind }: Pick<AudienceConfig, "kind">): AudienceResource {
  return kind === "trait" ? "computed_trait" : "audience";
}

/** Of one resource, without the deleted ones; oldest first. */
export function existingOf(
  { audiences }: Pick<AudienceParts, "audiences">,
  resource: AudienceResource,
): AudienceConfig[] {
  return audiences.list().filter((one) => one.deletedAtMs === null && resourceOf(one) === resource);
}

/** Throws a 404, also for a deleted one and for an id of the other resource. */
export function existing(
  { audiences }: Pick<AudienceParts, "audiences">,
  resource: AudienceResource,
  id: string,
): AudienceConfig {
  const config = audiences.get(id);
  if (config === undefined || config.deletedAtMs !== null || resourceOf(config) !== resource)
    throw notFound(RESOURCE_NAMES[resource], id);
  return config;
}

/** How many of one resource there are, without the deleted ones. */
export function countExisting(
  table: Pick<Table<AudienceConfig>, "entries">,
  resource: AudienceResource,
): number {
  let count = 0;
  for (const [, config] of table.entries())
    if (config.deletedAtMs === null && resourceOf(config) === resource) count += 1;
  return count;
}
