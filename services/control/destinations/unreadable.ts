import type { SecretBox } from "#secrets";
import type { DestinationConfig } from "#topics";
import { openSecrets } from "./secrets.ts";

/** Destinations whose secrets no configured key opens, and what the first of them said; undefined where all can be opened. */
export function unreadableDestinations(
  destinations: Iterable<readonly [id: string, destination: DestinationConfig]>,
  box: SecretBox,
  nowMs: number,
): { readonly destinations: number; readonly first: string; readonly error: string } | undefined {
  let found: { destinations: number; first: string; error: string } | undefined;
  for (const [id, destination] of destinations) {
    const error = refusalOf(destination, box, nowMs);
    if (error === undefined) continue;
    found ??= { destinations: 0, first: id, error };
    found.destinations += 1;
  }
  return found;
}

function refusalOf(destination: DestinationConfig, box: SecretBox, nowMs: number): string | undefined {
  try {
    openSecrets(box, destination, nowMs);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
