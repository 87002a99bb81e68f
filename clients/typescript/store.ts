// Messages kept outside of the client's memory, for a client that comes later: the offline queue.

/**
 * Where accepted messages are kept until they are delivered. Each function may be synchronous or give a promise; they are called one after
 * the other. What a store fails at is logged, and the message is sent from memory as without it.
 */
export interface MessageStore {
  /** Keeps a text under a key: a message and whose it is, in the client's own form. It takes the place of one that is there. */
  put(key: string, text: string): void | Promise<void>;
  /** Forgets texts. Keys that are not there are no error. */
  remove(keys: readonly string[]): void | Promise<void>;
  /** The texts that are kept, oldest first, of whichever client. Called once, before everything else. */
  all(): readonly string[] | Promise<readonly string[]>;
}

/** A browser's localStorage, or what looks like it. */
export interface WebStorage {
  readonly length: number;
  key(index: number): string | null;
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

/**
 * Keeps messages in a browser's storage under keys that begin with the prefix, each with its place in their order. Several pages may
 * share one: what two of them send, Hookline takes once.
 */
export function webStorage(storage: WebStorage, prefix = "hookline"): MessageStore {
  const kept = (): [place: number, text: string][] =>
    Array.from({ length: storage.length }, (_, index) => storage.key(index))
      .filter((key): key is string => key?.startsWith(`${prefix}:`) === true)
      .map((key) => storage.getItem(key) ?? "")
      .map((value): [number, string] => [Number.parseInt(value, 10), value.slice(value.indexOf(" ") + 1)])
      .sort(([one], [other]) => one - other);
  let place = 0;
  return {
    put(key, text) {
      const before = storage.getItem(`${prefix}:${key}`);
      storage.setItem(
        `${prefix}:${key}`,
        `${before === null ? place++ : Number.parseInt(before, 10)} ${text}`,
      );
    },
    remove(keys) {
      for (const key of keys) storage.removeItem(`${prefix}:${key}`);
    },
    all() {
      const entries = kept();
      place = (entries.at(-1)?.[0] ?? -1) + 1;
      return entries.map(([, text]) => text);
    },
  };
}
