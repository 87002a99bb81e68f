import type { AudienceConfig } from "#topics";
import type { AudienceParts } from "./parts.ts";
import { statusOf } from "./views.ts";

export interface Filters {
  readonly status?: string;
  readonly key?: string;
  readonly kind?: string;
}

export function filtered(
  configs: readonly AudienceConfig[],
  { status, key, kind }: Filters,
  parts: AudienceParts,
): AudienceConfig[] {
  return configs
    .filter((config) => key === undefined || config.key === key)
    .filter((config) => kind === undefined || config.kind === kind)
    .filter((config) => status === undefined || statusOf(config, parts).status === status);
}
