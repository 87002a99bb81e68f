export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a host name. Rejects with a code that failures.ts knows. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface ResolverOptions {
  readonly resolve: Resolve;
  readonly now: () => number;
  /** The time for which an answer is used. */
  readonly ttlMs: number;
  /**
   * The time for which a failure is used: short, it only keeps a dead name from being asked for with every
   * request.
   */
  readonly failureTtlMs: number;
  /** The oldest names are forgotten beyond this many. */
  readonly maxNames: number;
}

export interface CachedResolver {
  readonly resolve: Resolve;
  /**
   * Forgets a name. Call it when none of its addresses could be connected to: the next request asks again.
   */
  forget(hostname: string): void;
}

interface Entry {
  readonly answer: Promise<readonly ResolvedAddress[]>;
  /** Unix ms; for ever while the lookup is under way. */
  expiresAtMs: number;
}

/** A cache before `resolve` in which concurrent questions for one name are asked once. */
export function createResolver(options: ResolverOptions): CachedResolver {
  const entries = new Map<string, Entry>();

  function ask(hostname: string): Promise<readonly ResolvedAddress[]> {
    const entry: Entry = { answer: options.resolve(hostname), expiresAtMs: Number.POSITIVE_INFINITY };
    entries.delete(hostname);
    entries.set(hostname, entry);
    if (entries.size > options.maxNames) entries.delete(entries.keys().next().value ?? hostname);
    entry.answer.then(
      () => {
        entry.expiresAtMs = options.now() + options.ttlMs;
      },
      () => {
        entry.expiresAtMs = options.now() + options.failureTtlMs;
      },
    );
    return entry.answer;
  }

  return {
    resolve(hostname) {
      const entry = entries.get(hostname);
      return entry !== undefined && options.now() < entry.expiresAtMs ? entry.answer : ask(hostname);
    },
    forget(hostname) {
      const entry = entries.get(hostname);
      if (entry !== undefined && Number.isFinite(entry.expiresAtMs)) entries.delete(hostname);
    },
  };
}
