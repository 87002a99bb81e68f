// A file of members, as control is to read it.

interface Described {
  readonly contentType: string;
  readonly isCompressed: boolean;
}

/** By the ending of its name, as the command tells it; CSV where it has another. */
export function described(name: string): Described {
  const isCompressed = name.endsWith(".gz");
  const plain = isCompressed ? name.slice(0, -".gz".length) : name;
  const isNdjson = /\.(?:ndjson|jsonl)$/.test(plain);
  return { contentType: isNdjson ? "application/x-ndjson" : "text/csv", isCompressed };
}

/** A name for an upload that nobody has given yet: of the file and the moment, in letters that an import id may have. */
export function importIdOf(name: string, at: Date): string {
  const file = name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").slice(0, 60);
  return `${file}:${at.toISOString()}`;
}
