// What the client keeps in a store, and when it calls it.
import { encodeText } from "./encoding.ts";
import type { MessageStore } from "./store.ts";
import type { Fields } from "./write-message.ts";

/** The source of a write key, as texts name it: 32 bits (FNV-1a) tell the clients of a page apart, and do not give the key away. */
function sourceOf(writeKey: string): string {
  let hash = 0x811c9dc5;
  for (const byte of encodeText(writeKey)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** A message's place in the store. */
export interface Entry {
  readonly key: string;
  /** Whether its text stays as it is: it is of an earlier version, or says when a beacon of an earlier client took a copy, and later ones do not count. */
  readonly isFixed: boolean;
  /** Whether the store has it; perhaps from when it is asked to take it. */
  isKept: boolean | "perhaps";
  /** Whether its text says when a beacon took a copy. */
  isMarked: boolean;
  /** When Hookline forgets a copy of an earlier client's beacon. */
  readonly expiresAtMs: number;
}

type Call = () => Promise<void> | undefined;

/** A message that an earlier client has left. Without an id it is no message, and without a place. */
export interface Left {
  readonly messageId?: string;
  readonly json: string;
  readonly entry?: Entry;
}

/**
 * What stands before a text's JSON: its source, a colon when its key has the user, and when a beacon took a copy if one did. The JSON alone,
 * as texts were at first, belongs to the client that finds it; its key is the message's id alone.
 */
const BEFORE_JSON = /^([0-9a-f]{8})(:?) (?:@(\d{1,15}) )?/;

/** For so long Hookline knows copies. */
const COPIES_KNOWN_MS = 24 * 3_600_000;

/**
 * Calls a store's functions one after the other, without letting its failures out. Clients of several sources may share the store: each
 * takes its own source's messages, wherever its endpoint is by now.
 */
export class StoreCalls {
  readonly #store: MessageStore;
  readonly #source: string;
  readonly #log: (line: string) => void;
  /**
   * What waits for the call that is under way, in order. An entry waits to be put once, and not any more when its message is settled: a
   * slow store makes nothing grow without an end.
   */
  readonly #waiting = new Map<Entry | Call, Call>();
  /** Whether a call is under way. */
  isBusy = false;

  constructor(store: MessageStore, writeKey: string, log: (line: string) => void) {
    this.#store = store;
    this.#source = sourceOf(writeKey);
    this.#log = log;
  }

  entryOf(message: Fields): Entry {
    return {
      key: this.#keyOf(message),
      isFixed: false,
      isKept: false,
      isMarked: false,
      expiresAtMs: Number.POSITIVE_INFINITY,
    };
  }

  put(entry: Entry, json: string): void {
    const kept = (): void => {
      entry.isKept = true;
    };
    this.#wait(() => {
      entry.isKept ||= "perhaps";
      return this.#attempt(() => this.#store.put(entry.key, `${this.#source}: ${json}`), kept);
    }, entry);
  }

  /** Keeps when a beacon took a copy that is likely to have arrived; undefined when it is not likely any more. */
  mark(entry: Entry, json: string, copiedAtMs: number | undefined): void {
    const isMarked = copiedAtMs !== undefined;
    if (entry.isFixed || entry.isMarked === isMarked) return;
    entry.isMarked = isMarked;
    this.put(entry, isMarked ? `@${copiedAtMs} ${json}` : json);
  }

  remove(entries: readonly Entry[]): void {
    for (const entry of entries) this.#waiting.delete(entry);
    const keys = entries.filter(({ isKept }) => isKept).map(({ key }) => key);
    if (keys.length > 0) this.#wait(() => this.#attempt(() => this.#store.remove(keys)));
  }

  /** Hands what is left of the source to `take`. */
  all(take: (left: readonly Left[]) => void): void {
    const takeOwn = (texts: readonly string[]): void => take(texts.flatMap((text) => this.#leftIn(text)));
    this.#wait(() => this.#attempt(() => this.#store.all(), takeOwn));
  }

  #leftIn(text: string): Left[] {
    const [before = "", source, user, copiedAtMs] = BEFORE_JSON.exec(text) ?? [];
    const json = text.slice(before.length);
    if (source !== undefined && source !== this.#source) return [];
    const message = fieldsOf(json);
    const messageId = message["messageId"];
    if (typeof messageId !== "string") return [{ json }];
    const isMarked = copiedAtMs !== undefined;
    const entry = {
      ...this.entryOf(message),
      ...(!user && { key: source === undefined ? messageId : `${source}:${messageId}` }),
      isFixed: !user || isMarked,
      isKept: true,
      isMarked,
      ...(isMarked && { expiresAtMs: Number(copiedAtMs) + COPIES_KNOWN_MS }),
    };
    return [{ messageId, json, entry }];
  }

  /** A messageId with another user is another message. */
  #keyOf({ messageId, userId, anonymousId }: Fields): string {
    const user = userId === undefined ? [null, anonymousId] : [userId];
    return `${this.#source}:${JSON.stringify([messageId, ...user])}`;
  }

  /** Resolves when everything is done that was asked for before. */
  idle(): Promise<void> {
    return new Promise((resolve) => this.#wait(() => void resolve()));
  }

  #wait(call: Call, key: Entry | Call = call): void {
    this.#waiting.set(key, call);
    this.#run();
  }

  #run(): void {
    while (!this.isBusy) {
      const [next] = this.#waiting;
      if (next === undefined) return;
      const [key, call] = next;
      this.#waiting.delete(key);
      const underWay = call();
      if (underWay === undefined) continue;
      this.isBusy = true;
      void underWay.then(() => {
        this.isBusy = false;
        this.#run();
      });
    }
  }

  /** Nothing when it is done at once. */
  #attempt<Result>(
    work: () => Result | Promise<Result>,
    done: (result: Result) => void = () => undefined,
  ): Promise<void> | undefined {
    const failed = (error: unknown): void => this.#log(`hookline: the store failed: ${String(error)}`);
    try {
      const result = work();
      if (isPromise(result)) return Promise.resolve(result).then(done).catch(failed);
      done(result);
    } catch (error) {
      failed(error);
    }
    return undefined;
  }
}

/** Some libraries' promises are not of the runtime's class. */
function isPromise<Result>(result: Result | Promise<Result>): result is Promise<Result> {
  return typeof (result as Partial<Promise<Result>> | undefined)?.then === "function";
}

function fieldsOf(json: string): Fields {
  try {
    return Object(JSON.parse(json)) as Fields;
  } catch {
    return {};
  }
}
