// Profiles are judged by what callers send and others ask for: however long one takes, the event loop turns after some of them, so that heartbeats
// and fetches come in between.
import { EventLoopTurns, type Host } from "#host";

/** Of all partitions of the process; an ordinary event takes 0.06. */
const TURN_MS = 10;

/** The time that judging takes, over all partitions of a process, since the event loop was last let turn. */
export class TurnTime {
  readonly #host: Pick<Host, "elapsed">;
  readonly #turns: EventLoopTurns;
  #beganAtMs = 0;
  #begun = 0;
  #spentMs = 0;

  constructor(host: Pick<Host, "elapsed" | "setImmediate">) {
    this.#host = host;
    this.#turns = new EventLoopTurns(host);
  }

  /** A piece of work begins, which may have others in it; `end` follows in the same turn. */
  begin(): void {
    if (this.#begun === 0) this.#beganAtMs = this.#host.elapsed();
    this.#begun += 1;
  }

  end(): void {
    this.#begun -= 1;
    if (this.#begun === 0) this.#spentMs += this.#host.elapsed() - this.#beganAtMs;
  }

  /** Undefined while there is time, else resolves in a later turn: who asks first goes on first. */
  pause(): Promise<void> | undefined {
    const openMs = this.#begun === 0 ? 0 : this.#host.elapsed() - this.#beganAtMs;
    if (this.#spentMs + openMs < TURN_MS) return undefined;
    return this.#turns.next().then(() => {
      this.#spentMs = 0;
    });
  }

  /** Does a piece of work for each, in later turns where this one has no time left. Undefined when all had theirs in this one. */
  each<I>(items: Iterable<I>, work: (item: I) => void): Promise<void> | undefined {
    const left = [...items];
    const goOn = (): Promise<void> | undefined => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        this.begin();
        work(next);
        this.end();
        const pause = left.length > 0 ? this.pause() : undefined;
        if (pause !== undefined) return pause.then(goOn);
      }
      return undefined;
    };
    return goOn();
  }
}
