// Work of a request that takes long, cut into slices: other requests are answered in between.
import { EventLoopTurns, type Host } from "#host";

/** Of one request, and of all that look at profiles in one turn of the event loop. */
const SLICE_MS = 5;

export type SliceHost = Pick<Host, "elapsed" | "setImmediate">;

/** To be asked before each piece of work. Undefined while there is time, else resolves in the next slice: so for the first piece. */
export type Pause = () => Promise<void> | undefined;

/** All work of the process that goes in slices: each turn is given to one request. */
export class Slices {
  readonly #host: SliceHost;
  readonly #turns: EventLoopTurns;

  constructor(host: SliceHost) {
    this.#host = host;
    this.#turns = new EventLoopTurns(host);
  }

  /** The work of one request. Its first slice waits, too: many requests may come in one turn. */
  begin(): Pause {
    let endsAtMs = Number.NEGATIVE_INFINITY;
    return () => {
      if (this.#host.elapsed() < endsAtMs) return undefined;
      return this.#turns.next().then(() => {
        endsAtMs = this.#host.elapsed() + SLICE_MS;
      });
    };
  }
}
