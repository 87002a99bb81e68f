// Suggestions: the known name that an unknown one was meant for.

/** Farther apart than this, a suggestion is a guess. */
const MAX_DISTANCE = 4;
/**
 * Characters of a name for each fault: a suggestion that shares less than two thirds of a short name is a
 * guess, too.
 */
const CHARACTERS_FOR_ONE_FAULT = 3;
/** Nobody means a name that is longer, and the time grows with its square. */
const MAX_CHARACTERS = 200;

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
  if (name.length > MAX_CHARACTERS) return undefined;
  let best: string | undefined;
  let bestDistance = Math.min(MAX_DISTANCE, Math.ceil(name.length / CHARACTERS_FOR_ONE_FAULT)) + 1;
  for (const candidate of known) {
    const between = distance(name.toLowerCase(), candidate.toLowerCase());
    if (between < bestDistance) {
      best = candidate;
      bestDistance = between;
    }
  }
  return best;
}

/** "; did you mean <name>?", or nothing when no known name is near. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const meant = nearest(name, known);
  return meant === undefined ? "" : `; did you mean ${meant}?`;
}

/** The problem of a value outside the allowed ones: a clause that follows the field's name. */
export function mustBeOneOf(value: unknown, allowed: readonly string[]): string {
  return `must be one of ${allowed.join(", ")}${typeof value === "string" ? didYouMean(value, allowed) : ""}`;
}
