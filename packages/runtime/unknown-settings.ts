// A misspelt variable would silently leave a default in place; it is warned about, with the name that was meant.
import type { Environment } from "./environment.ts";
import { knownSettings } from "./known-settings.generated.ts";

const PREFIX = "HOOKLINE_";
/** Farther apart than this, a suggestion is a guess. */
const MAX_DISTANCE = 4;

/** Levenshtein distance, one row at a time. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, substitution));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}

function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = MAX_DISTANCE + 1;
  for (const candidate of known) {
    const between = distance(name, candidate);
    if (between < bestDistance) {
      best = candidate;
      bestDistance = between;
    }
  }
  return best;
}

/**
 * One sentence for each HOOKLINE_ variable that no process of the product reads. All processes share one environment
 * in compose files and `npm start`, so a setting of another service is no mistake.
 */
export function unknownSettings(environment: Environment, own: readonly string[]): string[] {
  const known = new Set([...knownSettings, ...own]);
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name))
    .map((name) => {
      const meant = nearest(name, known);
      return `${name} is not a setting${meant === undefined ? "" : `; did you mean ${meant}?`}`;
    });
}
