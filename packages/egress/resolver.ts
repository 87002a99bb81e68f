export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Every address of a host name. Rejects with a code that failures.ts knows. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface ResolverOptions {
  readonly resolve: Resolve;
  /** A clock that nobody sets: an answer must not be used for as long as a clock was set back. */
  readonly elapsedMs: () => number;
  /** The time for which an answer is used. */
  readonly ttlMs: number;
}

/** The time for which a failure is used: short, it only keeps a dead name from being asked for with every request. */
const FAILURE_TTL_MS = 2_000;

/** The oldest names are forgotten beyond this many. */
const MAX_NAMES = 10_000;

export interface CachedResolver {
  readonly resolve: Resolve;
  /**
   * Forgets a name. Call it when none of its addresses could be connected to: the next request asks again.
   */
  forget(hostname: string): void;
}

interface Entry {
  readonly answer: Promise<readonly ResolvedAddress[]>;
  /** By `elapsedMs`; for ever while the lookup is under way. */
  expiresAtMs: number;
}

/** A cache before `resolve` in which concurrent questions for one name are asked once. */
export function createResolver(options: ResolverOptions): CachedResolver {
  const entries = new Map<string, Entry>();

  function ask(hostname: string): Promise<readonly ResolvedAddress[]> {
    const entry: Entry = { answer: options.resolve(hostname), expiresAtMs: Number.POSITIVE_INFINITY };
    entries.delete(hostname);
    entries.set(hostname, entry);
    if (entries.size > MAX_NAMES) entries.delete(entries.keys().next().value ?? hostname);
    entry.answer.then(
      () => {
        entry.expiresAtMs = options.elapsedMs() + options.ttlMs;
      },
      () => {
        entry.expiresAtMs = options.elapsedMs() + FAILURE_TTL_MS;
      },
    );
    return entry.answer;
  }

  return {
    resolve(hostname) {
      const entry = entries.get(hostname);
      return entry !== undefined && options.elapsedMs() < entry.expiresAtMs ? entry.answer : ask(hostname);
    },
    forget(hostname) {
      const entry = entries.get(hostname);
      if (entry !== undefined && Number.isFinite(entry.expiresAtMs)) entries.delete(hostname);
    },
  };
}
