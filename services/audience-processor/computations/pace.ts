import type { Host } from "#host";

/** How many identify calls first syncs may send, over all partitions of the process. */
export class Pace {
  readonly #perSecond: number;
  readonly #host: Pick<Host, "elapsed">;
  #room: number;
  #atMs: number;

  constructor(perSecond: number, host: Pick<Host, "elapsed">) {
    this.#perSecond = perSecond;
    this.#host = host;
    this.#room = perSecond;
    this.#atMs = host.elapsed();
  }

  /** At most a second's worth is saved up. */
  get hasRoom(): boolean {
    const nowMs = this.#host.elapsed();
    this.#room = Math.min(this.#perSecond, this.#room + ((nowMs - this.#atMs) / 1000) * this.#perSecond);
    this.#atMs = nowMs;
    return this.#room >= 1;
  }

  take(calls: number): void {
    this.#room -= calls;
  }
}
