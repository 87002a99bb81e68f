// Messages kept outside of the client's memory, for a client that comes later: the offline queue.

/**
 * Where accepted messages are kept until they are delivered. Each function may be synchronous or give a promise; they are called one after
 * the other. What a store fails at is logged, and the message is sent from memory as without it.
 */
export interface MessageStore {
  /** Keeps a message. */
  put(messageId: string, json: string): void | Promise<void>;
  /** Forgets messages. Ids that are not there are no error. */
  remove(messageIds: readonly string[]): void | Promise<void>;
  /** What is kept, oldest first. Called once, before everything else. */
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
  const keyOf = (messageId: string): string => `${prefix}:${messageId}`;
  const kept = (): [place: number, json: string][] =>
    Array.from({ length: storage.length }, (_, index) => storage.key(index))
      .filter((key): key is string => key?.startsWith(`${prefix}:`) === true)
      .map((key) => storage.getItem(key) ?? "")
      .map((value): [number, string] => [Number.parseInt(value, 10), value.slice(value.indexOf(" ") + 1)])
      .sort(([one], [other]) => one - other);
  let place = 0;
  return {
    put(messageId, json) {
      storage.setItem(keyOf(messageId), `${place++} ${json}`);
    },
    remove(messageIds) {
      for (const messageId of messageIds) storage.removeItem(keyOf(messageId));
    },
    all() {
      const entries = kept();
      place = (entries.at(-1)?.[0] ?? -1) + 1;
      return entries.map(([, json]) => json);
    },
  };
}

/** Calls a store's functions one after the other, without letting its failures out. */
export class StoreCalls {
  readonly #store: MessageStore;
  readonly #log: (line: string) => void;
  /** The last call, while it is under way. */
  #last: Promise<void> | undefined;

  constructor(store: MessageStore, log: (line: string) => void) {
    this.#store = store;
    this.#log = log;
  }

  put(messageId: string, json: string): void {
    this.#call(() => this.#store.put(messageId, json));
  }

  remove(messageIds: readonly string[]): void {
    if (messageIds.length > 0) this.#call(() => this.#store.remove(messageIds));
  }

  /** Hands what is kept to `take`. */
  all(take: (messages: readonly string[]) => void): void {
    this.#call(() => {
      const kept = this.#store.all();
      return kept instanceof Promise ? kept.then(take) : take(kept);
    });
  }

  /** Resolves when no call is under way. */
  async idle(): Promise<void> {
    while (this.#last !== undefined) await this.#last;
  }

  #call(work: () => void | Promise<void>): void {
    if (this.#last === undefined) {
      this.#begin(work);
      return;
    }
    this.#follow(this.#last.then(() => this.#attempt(work)));
  }

  #begin(work: () => void | Promise<void>): void {
    const result = this.#attempt(work);
    if (result !== undefined) this.#follow(result);
  }

  #follow(call: Promise<void>): void {
    const last = call.then(() => {
      if (this.#last === last) this.#last = undefined;
    });
    this.#last = last;
  }

  /** Nothing when it is done at once. */
  #attempt(work: () => void | Promise<void>): Promise<void> | undefined {
    const failed = (error: unknown): void => this.#log(`hookline: the store failed: ${String(error)}`);
    try {
      return work()?.catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }
}
