// Filters look into what callers send, and a source may have hundreds of destinations with one each: a call is compared with as many as one turn
// of the event loop has time for, and with the others in later turns. Heartbeats, fetches and the calls of other sources come in between.
// While Kafka is behind with what became of calls before, those that would become jobs wait here, too.
import type { Host, Timer } from "#host";

/** Long enough that no ordinary call needs a second turn, and no more than a fifth of what an event loop may be held. */
const TURN_MS = 10;

/** Interval at which the room is checked again. */
const ROOM_LOOK_MS = 5;

type TurnsHost = Pick<Host, "elapsed" | "setImmediate" | "setTimeout">;

/** A call whose turn has not come, or was not long enough. */
export interface CallInTurns {
  readonly partition: number;
  /** Goes on while there is time. `lost`: it is not ours, and `giveBack` is called after all. Does not throw. */
  goOn(): "ended" | "more" | "lost";
  /** The partition was lost before. */
  giveBack(): void;
}

export class FilterTurns {
  readonly #host: TurnsHost;
  /** Whether Kafka has acknowledged enough of the jobs that were written: more of them may be made. */
  readonly hasRoom: () => boolean;
  /** Calls by source, in the order in which sources have their turns. */
  readonly #bySource = new Map<string, CallInTurns[]>();
  #endsAtMs: number | undefined;
  #next: Timer | undefined;

  constructor(host: TurnsHost, hasRoom: () => boolean) {
    this.#host = host;
    this.hasRoom = hasRoom;
  }

  /** Whether calls of the source wait: later ones wait behind them, so that one user's calls keep their order. */
  has(sourceId: string): boolean {
    return this.#bySource.has(sourceId);
  }

  /** Whether this turn has time for one more filter. */
  readonly hasTime = (): boolean => {
    const nowMs = this.#host.elapsed();
    if (this.#endsAtMs === undefined) {
      this.#endsAtMs = nowMs + TURN_MS;
      this.#askForNext();
    }
    return nowMs < this.#endsAtMs;
  };

  wait(sourceId: string, call: CallInTurns): void {
    const waiting = this.#bySource.get(sourceId);
    if (waiting === undefined) this.#bySource.set(sourceId, [call]);
    else waiting.push(call);
    this.#askForNext();
  }

  revoked(partitions: readonly { readonly partition: number }[]): void {
    const lost = new Set(partitions.map(({ partition }) => partition));
    for (const [sourceId, waiting] of this.#bySource) {
      const kept = waiting.filter(({ partition }) => !lost.has(partition));
      if (kept.length > 0) this.#bySource.set(sourceId, kept);
      else this.#bySource.delete(sourceId);
      for (const call of waiting) if (lost.has(call.partition)) call.giveBack();
    }
  }

  #askForNext(): void {
    if (this.#next !== undefined) return;
    const turn = () => this.#turn();
    this.#next = this.hasRoom() ? this.#host.setImmediate(turn) : this.#host.setTimeout(turn, ROOM_LOOK_MS);
  }

  #turn(): void {
    this.#next = undefined;
    this.#endsAtMs = undefined;
    if (this.#bySource.size === 0) return;
    this.#goOn();
    if (this.#bySource.size > 0) this.#askForNext();
  }

  /** One call of each source after the other, so that a source with much to do holds up none but itself. */
  #goOn(): void {
    while (this.hasRoom() && this.hasTime()) {
      const [first] = this.#bySource;
      if (first === undefined) return;
      const [sourceId, waiting] = first;
      const [call] = waiting;
      // A call that ends may let the next call of the source come, which has to find this one.
      const how = call?.goOn();
      if (call !== undefined && how === "lost") {
        // The calls behind it would be before it otherwise, when it comes again.
        this.revoked([call]);
        continue;
      }
      if (how === "ended") waiting.shift();
      this.#bySource.delete(sourceId);
      if (waiting.length > 0) this.#bySource.set(sourceId, waiting);
    }
  }
}
