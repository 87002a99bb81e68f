import type { SourceConfig } from "#topics";
import type { ControlContext } from "../context.ts";
import { notFound } from "../http/problem.ts";

/** Throws a 404. */
export function existingSource({ sources }: ControlContext, id: string): SourceConfig {
  const source = sources.get(id);
  if (source === undefined) throw notFound("source", id);
  return source;
}

/** Reads the source, changes it and writes it, with no other change in between. */
export async function updateSource(
  context: ControlContext,
  id: string,
  change: (source: SourceConfig) => SourceConfig,
): Promise<SourceConfig> {
  const updated = await context.changes.run(async () => {
    const after = change(existingSource(context, id));
    await context.sources.put(after);
    return after;
  });
  context.telemetry.changed("source", "updated");
  return updated;
}
