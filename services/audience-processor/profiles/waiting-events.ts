// Events of one partition that were taken and not folded yet, in the order of the log. They wait while somebody holds them, while a profile's
// schema is asked for, while the event loop has to turn, while a profile has much that is not written, and for a merge that is ahead of what is
// known here: it brings what leaves have counted of the merged profile as calls came. That profile's partition may know a leaf sooner than this one. Folded at once its state would be dropped, and nothing reads those
// calls again.
import type { ComputationSet, Profile } from "#audiences";
import type { TurnTime } from "../turn-time.ts";
import type { Taken } from "./batch.ts";

interface WaitingEventsParts {
  readonly computations: { readonly set: ComputationSet };
  readonly turnTime: TurnTime;
  /** Resolves when all is known that is configured by now. */
  refresh(): Promise<unknown>;
  /** A promise while the profile cannot be had; throws when it cannot be read. */
  load(id: string): Profile | undefined | Promise<unknown>;
  /** Whether the profile is to be written first; `goOn` is called once it is. */
  isToBeWritten(profile: Profile): boolean;
  /** Its profile cannot be read. */
  reject(taken: Taken, error: Error): void;
  fold(taken: Taken, profile: Profile | undefined): void;
  /** False once nothing is to be folded any more. */
  mayFold(): boolean;
  /** What is waited for will not come. */
  onFailed(error: unknown): void;
}

export class WaitingEvents {
  readonly #parts: WaitingEventsParts;
  #events: Taken[] = [];
  #isBlocked = false;
  #holds = 0;
  /** Of this one it is known what was configured when it was written. */
  #known: Taken | undefined;

  constructor(parts: WaitingEventsParts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  push(taken: Taken): void {
    this.#events.push(taken);
    this.goOn();
  }

  /** Before all others. */
  unshift(all: readonly Taken[]): void {
    this.#events.unshift(...all);
    this.goOn();
  }

  /** Until the returned function is called events wait. */
  hold(): () => void {
    this.#holds += 1;
    return () => {
      this.#holds -= 1;
      this.goOn();
    };
  }

  /** Nothing waits any more. */
  takeAll(): readonly Taken[] {
    const all = this.#events;
    this.#events = [];
    return all;
  }

  /** Folds what need not wait. To be called now and then: nobody says that a leaf is asked for no more. */
  goOn(): void {
    for (let next = this.#events[0]; next !== undefined; next = this.#events[0]) {
      if (this.#isBlocked || this.#holds > 0 || !this.#parts.mayFold()) return;
      const pause = this.#parts.turnTime.pause();
      if (pause !== undefined) {
        this.#waitFor(pause);
        return;
      }
      if (this.#isAhead(next)) return;
      const profile = this.#load(next);
      if (profile instanceof Promise) {
        this.#waitFor(profile);
        return;
      }
      const isFull =
        profile !== undefined && !(profile instanceof Error) && this.#parts.isToBeWritten(profile);
      if (isFull) return;
      this.#events.shift();
      if (profile instanceof Error) this.#parts.reject(next, profile);
      else this.#fold(next, profile);
    }
  }

  #fold(taken: Taken, profile: Profile | undefined): void {
    const { fold, turnTime } = this.#parts;
    turnTime.begin();
    fold(taken, profile);
    turnTime.end();
  }

  /** A deletion needs nothing of a profile that cannot be read. */
  #load({ record }: Taken): Profile | undefined | Promise<unknown> | Error {
    try {
      return this.#parts.load(record.key ?? "");
    } catch (error) {
      if (record.decoded.event.kind === "delete") return undefined;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** A merge waits for leaves to begin to count here. One of which nothing is known when all is known was ended. */
  #isAhead(taken: Taken): boolean {
    const { event } = taken.record.decoded;
    if (event.kind !== "merge") return false;
    const { leaves } = this.#parts.computations.set;
    const uses = Array.from(event.moved.leaves.keys(), (key) => leaves.get(key));
    if (uses.includes(undefined) && this.#known !== taken) {
      const known = this.#parts.refresh().then(() => {
        this.#known = taken;
      });
      this.#waitFor(known);
      return true;
    }
    return uses.some((use) => use?.fromOffset === Number.POSITIVE_INFINITY);
  }

  #waitFor(done: Promise<unknown>): void {
    this.#isBlocked = true;
    const goOn = (): void => {
      this.#isBlocked = false;
      this.goOn();
    };
    done.then(goOn, (error: unknown) => this.#parts.onFailed(error));
  }
}
