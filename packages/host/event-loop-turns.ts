// Work that would hold the event loop is cut into turns of it, so that what has arrived meanwhile comes in between.
import type { Host } from "./host.ts";

/**
 * Gives each turn of the event loop to one piece of work that waits: many at once hold it no longer than one.
 */
export class EventLoopTurns {
  readonly #host: Pick<Host, "setImmediate">;
  readonly #waiting: (() => void)[] = [];

  constructor(host: Pick<Host, "setImmediate">) {
    this.#host = host;
  }

  /** Resolves in a later turn, in which nobody else's does. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) this.#host.setImmediate(() => this.#wakeFirst());
    });
  }

  #wakeFirst(): void {
    this.#waiting.shift()?.();
    if (this.#waiting.length > 0) this.#host.setImmediate(() => this.#wakeFirst());
  }
}

export interface WorkInTurnsOptions {
  /** Resolves in a later turn of the event loop. */
  pause(): Promise<void>;
  /** The work that one turn has room for; a larger piece has a turn of its own. */
  readonly bytesATurn: number;
}

/** Counts the work of one who takes turns. */
export class WorkInTurns {
  readonly #options: WorkInTurnsOptions;
  #leftBytes = 0;

  constructor(options: WorkInTurnsOptions) {
    this.#options = options;
  }

  /** Undefined when so much may be done in this turn yet, else resolves in the turn in which to do it: so for the first piece. */
  begin(bytes: number): Promise<void> | undefined {
    if (bytes <= this.#leftBytes) {
      this.#leftBytes -= bytes;
      return undefined;
    }
    this.#leftBytes = this.#options.bytesATurn - bytes;
    return this.#options.pause();
  }
}
