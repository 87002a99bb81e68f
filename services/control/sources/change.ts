import type { SourceConfig } from "#topics";
import { notFound } from "../http/problem.ts";
import type { SourceParts } from "./parts.ts";

/** Throws a 404. */
export function existingSource({ sources }: SourceParts, id: string): SourceConfig {
  const source = sources.get(id);
  if (source === undefined) throw notFound("source", id);
  return source;
}

/** Reads the source, changes it and writes it, with no other change in between. */
export async function updateSource(
  parts: SourceParts,
  id: string,
  change: (source: SourceConfig) => SourceConfig,
): Promise<SourceConfig> {
  const updated = await parts.changes.run(async () => {
    const after = change(existingSource(parts, id));
    await parts.sources.put(after);
    return after;
  });
  parts.telemetry.changed("source", "updated");
  return updated;
}
