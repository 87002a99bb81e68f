import type { SourceConfig } from "#topics";
import type { Actor } from "../../http/caller.ts";
import { checkIfMatch } from "../../http/entity-tag.ts";
import { notFound } from "../../http/problem.ts";
import type { SourceParts } from "./parts.ts";

/** Throws a 404. */
export function existingSource({ sources }: SourceParts, id: string): SourceConfig {
  const source = sources.get(id);
  if (source === undefined) throw notFound("source", id);
  return source;
}

interface SourceChange {
  /** The header. */
  readonly ifMatch: string | undefined;
  readonly by: Actor;
  change(source: SourceConfig): SourceConfig;
}

/** Reads the source, changes it and writes it, with no other change in between. Throws a 412 when it is not at the version that is asked for. */
export async function updateSource(
  parts: SourceParts,
  id: string,
  { ifMatch, by, change }: SourceChange,
): Promise<SourceConfig> {
  const updated = await parts.changes.run(async () => {
    const before = existingSource(parts, id);
    checkIfMatch(ifMatch, before);
    const after = change(before);
    await parts.sources.replace({ before, after, by });
    return after;
  });
  parts.telemetry.changed("source", "updated");
  return updated;
}
