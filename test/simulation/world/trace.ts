/** One thing that happened in the world. */
export interface TraceLine {
  readonly atMs: number;
  /** Whose it is: a process, "cluster", "faults", an endpoint. */
  readonly who: string;
  readonly what: string;
}

/** What happened, in order: its hash tells whether two runs were the same, its end tells people what led to a finding. */
export class Trace {
  readonly #nowMs: () => number;
  readonly #maxLines: number;
  #lines: TraceLine[] = [];
  #hash = 0x811c9dc5;
  #count = 0;

  constructor(nowMs: () => number, maxLines: number) {
    this.#nowMs = nowMs;
    this.#maxLines = maxLines;
  }

  /** Of every line, also of those that are not kept. */
  get hash(): string {
    return `${this.#count}-${(this.#hash >>> 0).toString(16).padStart(8, "0")}`;
  }

  /** The newest ones. */
  get lines(): readonly TraceLine[] {
    return this.#lines.slice(-this.#maxLines);
  }

  add(who: string, what: string): void {
    const atMs = this.#nowMs();
    this.#count += 1;
    this.#mix(`${atMs} ${who} ${what}`);
    this.#lines.push({ atMs, who, what });
    if (this.#lines.length >= 2 * this.#maxLines) this.#lines = this.#lines.slice(-this.#maxLines);
  }

  /** FNV-1a. */
  #mix(text: string): void {
    for (let at = 0; at < text.length; at += 1)
      this.#hash = Math.imul(this.#hash ^ text.charCodeAt(at), 0x01000193);
  }
}
