// Work on a large body is cut into turns of the event loop, so that others' requests come in between.
import { MAX_CALL_BYTES } from "#contract";
import type { Host } from "#host";

/**
 * Bytes of JSON that are parsed and judged, or encoded, in one turn: what a single call may have. Of bodies made to be slow (objects with
 * a key of their own each, thousands of integrations) it takes 5 to 10 ms.
 */
export const BYTES_A_TURN = MAX_CALL_BYTES;

/** Gives each turn of the event loop to one who waits: many large bodies at once hold it no longer than one. */
export class EventLoopTurns {
  readonly #host: Pick<Host, "setImmediate">;
  readonly #waiting: (() => void)[] = [];

  constructor(host: Pick<Host, "setImmediate">) {
    this.#host = host;
  }

  /** Resolves in a later turn, in which nobody else's does: what has arrived meanwhile is read first. */
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

/** Cuts the work on one request into turns. */
export class WorkInTurns {
  readonly #pause: () => Promise<void>;
  #leftBytes = 0;

  /** `pause` resolves in a later turn of the event loop. The first piece is for such a one too. */
  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /** Undefined when so much may be done in this turn yet, else resolves in the turn in which to do it. */
  begin(bytes: number): Promise<void> | undefined {
    if (bytes <= this.#leftBytes) {
      this.#leftBytes -= bytes;
      return undefined;
    }
    this.#leftBytes = BYTES_A_TURN - bytes;
    return this.#pause();
  }
}
