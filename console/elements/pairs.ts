/** "name: value" of each, a line each unless something else is to stand between them. */
export function pairsText(pairs: Readonly<Record<string, string>>, between = "\n"): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}: ${value}`)
    .join(between);
}
