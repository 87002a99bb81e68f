import { type Endpoints, REQUESTED } from "./parts.ts";

/** Endpoints that wait for a pass or are in one, with the time since which they are known to be well. */
export class Wanted {
  readonly #pending = new Map<string, number>();
  /** The signals, by endpoint, that end the rest after a pass that found nothing. */
  readonly #passing = new Map<string, AbortController>();

  get isEmpty(): boolean {
    return this.#pending.size === 0;
  }

  /** Calls that failed before this time are taken, beside those that were not asked. */
  add(endpoint: string, failedBeforeMs: number): void {
    this.#pending.set(endpoint, Math.max(failedBeforeMs, this.#pending.get(endpoint) ?? REQUESTED));
  }

  /** Takes endpoints for a pass: one, or all that are free. They are in the pass until `over`. */
  take(isLastPass: boolean): { readonly endpoints: Endpoints; readonly hurry: AbortController } {
    const free = [...this.#pending].filter(([endpoint]) => !this.#passing.has(endpoint));
    const endpoints = new Map(isLastPass ? free : free.slice(0, 1));
    const hurry = new AbortController();
    for (const endpoint of endpoints.keys()) {
      this.#pending.delete(endpoint);
      this.#passing.set(endpoint, hurry);
    }
    return { endpoints, hurry };
  }

  hurry(endpoint: string): void {
    this.#passing.get(endpoint)?.abort();
  }

  /** Whether it waits for no more than a place. */
  isWaiting(endpoint: string): boolean {
    return this.#pending.has(endpoint) && !this.#passing.has(endpoint);
  }

  hurryAll(): void {
    for (const hurry of this.#passing.values()) hurry.abort();
  }

  over(endpoints: Endpoints): void {
    for (const endpoint of endpoints.keys()) this.#passing.delete(endpoint);
  }
}
