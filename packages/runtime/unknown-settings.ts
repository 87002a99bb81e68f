// A misspelt variable would silently leave a default in place; it is warned about, with the name that was meant.
import { didYouMean } from "#contract";
import type { Environment } from "./environment.ts";
import { knownSettings } from "./known-settings.generated.ts";

const PREFIX = "HOOKLINE_";
/**
 * One sentence for each HOOKLINE_ variable that no process of the product reads. All processes share one environment
 * in compose files and `npm start`, so a setting of another service is no mistake.
 */
export function unknownSettings(environment: Environment, own: readonly string[]): string[] {
  const known = new Set([...knownSettings, ...own]);
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .map((name) => `${name} is not a setting${didYouMean(name, known)}`);
}
