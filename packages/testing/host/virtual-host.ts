import type { Host, Timer } from "#host";
import type { Random } from "../random.ts";
import type { VirtualTime } from "./virtual-time.ts";

/** When the simulated worlds begin, Unix ms. */
export const EPOCH_MS = Date.UTC(2026, 0, 5);

const BUSY_SHARE = 0.3;

export interface VirtualHostOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  /** How far its clock is off, ms. */
  readonly skewMs?: number;
}

/** What a host's process can do. */
type State = "running" | "frozen" | "dead";

/**
 * The machine of one simulated process. Whatever reaches the process comes as a timer of its host: with the process dead none of it happens,
 * and while it is frozen all of it waits.
 */
export class VirtualHost implements Host {
  readonly #time: VirtualTime;
  readonly #random: Random;
  #skewMs: number;
  #state: State = "running";
  /** What came while it was frozen. */
  #waiting: (() => void)[] = [];
  /** Called before each thing that happens to the process, with how many have happened. */
  #onEvent: (() => void) | undefined;

  constructor({ time, random, skewMs = 0 }: VirtualHostOptions) {
    this.#time = time;
    this.#random = random;
    this.#skewMs = skewMs;
  }

  get isDead(): boolean {
    return this.#state === "dead";
  }

  get isFrozen(): boolean {
    return this.#state === "frozen";
  }

  now(): number {
    return EPOCH_MS + Math.floor(this.#time.nowMs + this.#skewMs);
  }

  elapsed(): number {
    return this.#time.nowMs;
  }

  /** Work takes no time here; what a process in the middle of its day shows stands for it. */
  busyMs(): number {
    return this.#time.nowMs * BUSY_SHARE;
  }

  coreMs(): number {
    return this.busyMs();
  }

  setTimeout(work: () => void, delayMs: number): Timer {
    return new HostTimer(this, work, wholeMs(delayMs));
  }

  setInterval(work: () => void, everyMs: number): Timer {
    const again = (): void => {
      timer.again();
      work();
    };
    const timer = new HostTimer(this, again, wholeMs(everyMs));
    return timer;
  }

  setImmediate(work: () => void): Timer {
    return new HostTimer(this, work, 0);
  }

  delay(delayMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted === true) {
      reject(signal.reason);
      return promise;
    }
    const aborted = (): void => {
      timer.clear();
      reject(signal?.reason);
    };
    const timer = this.setTimeout(() => {
      signal?.removeEventListener("abort", aborted);
      resolve();
    }, delayMs);
    signal?.addEventListener("abort", aborted, { once: true });
    return promise;
  }

  random(): number {
    return this.#random.next();
  }

  uuid(): string {
    const digits = Array.from({ length: 32 }, () => Math.floor(this.#random.next() * 16).toString(16)).join(
      "",
    );
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  }

  /** kill -9: nothing happens to its process any more. */
  kill(): void {
    this.#state = "dead";
    this.#waiting = [];
  }

  /** kill -9 in front of the so-manieth next thing that would happen to it. */
  killAfter(events: number, onKilled: () => void = () => undefined): void {
    let left = events;
    this.#onEvent = () => {
      left -= 1;
      if (left >= 0 || this.isDead) return;
      this.kill();
      onKilled();
    };
  }

  /** SIGSTOP. */
  freeze(): void {
    if (this.#state === "running") this.#state = "frozen";
  }

  /** SIGCONT: what came meanwhile happens, in the order in which it came. */
  thaw(): void {
    if (this.#state !== "frozen") return;
    this.#state = "running";
    for (const work of this.#waiting.splice(0)) this.#time.after(0, () => this.happen(work));
  }

  /** Somebody sets its clock. */
  jump(byMs: number): void {
    this.#skewMs += byMs;
  }

  /** For its timers. */
  after(delayMs: number, work: () => void): Timer {
    return this.#time.after(delayMs, work);
  }

  /** Something reaches its process. */
  happen(work: () => void): void {
    this.#onEvent?.();
    if (this.#state === "running") work();
    else if (this.#state === "frozen") this.#waiting.push(work);
  }
}

/** As Node's: at least a millisecond, whole ones. */
function wholeMs(delayMs: number): number {
  return Math.max(1, Math.trunc(delayMs) || 1);
}

/** One timer of a host's process. There are thousands in a world's life, so it is one object, and two functions. */
class HostTimer implements Timer {
  readonly #host: VirtualHost;
  readonly #delayMs: number;
  /** What its process does; nothing once it is cleared, also when it came while the process was frozen. */
  readonly #work: () => void;
  readonly #arrive: () => void;
  #timer: Timer;
  #isCleared = false;

  constructor(host: VirtualHost, work: () => void, delayMs: number) {
    this.#host = host;
    this.#delayMs = delayMs;
    this.#work = () => {
      if (!this.#isCleared) work();
    };
    this.#arrive = () => this.#host.happen(this.#work);
    this.#timer = host.after(delayMs, this.#arrive);
  }

  clear(): void {
    this.#isCleared = true;
    this.#timer.clear();
  }

  /** Once more, after as long. */
  again(): void {
    if (!this.#isCleared) this.#timer = this.#host.after(this.#delayMs, this.#arrive);
  }
}
