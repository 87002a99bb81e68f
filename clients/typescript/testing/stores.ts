// Stores of messages for tests.
import type { MessageStore, WebStorage } from "../store.ts";

/** What localStorage is to a page. */
export function memoryStorage(): WebStorage & { readonly entries: Map<string, string> } {
  const entries = new Map<string, string>();
  return {
    entries,
    get length() {
      return entries.size;
    },
    key: (index) => [...entries.keys()][index] ?? null,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => entries.set(key, value),
    removeItem: (key) => entries.delete(key),
  };
}

const idIn = (key: string): string => JSON.parse(key.slice(key.indexOf(":") + 1))[0];

/** A store that answers when the test lets it. */
export class HeldStore implements MessageStore {
  readonly calls: string[] = [];
  readonly kept = new Map<string, string>();
  #release: (() => void)[] = [];

  put(key: string, text: string): Promise<void> {
    return this.#hold(`put ${idIn(key)}`, () => this.kept.set(key, text));
  }
  remove(keys: readonly string[]): Promise<void> {
    return this.#hold(`remove ${keys.map(idIn).join()}`, () =>
      keys.forEach((key) => void this.kept.delete(key)),
    );
  }
  async all(): Promise<readonly string[]> {
    let found: string[] = [];
    await this.#hold("all", () => {
      found = [...this.kept.values()];
    });
    return found;
  }
  release(): void {
    this.#release.shift()?.();
  }
  async #hold(call: string, work: () => void): Promise<void> {
    this.calls.push(call);
    await new Promise<void>((resolve) => this.#release.push(resolve));
    work();
  }
}
