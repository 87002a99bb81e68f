import type { Timer } from "#host";
import { drainMicrotasks } from "./drain.ts";
import { Event, EventQueue } from "./event-queue.ts";

/** More at one moment, and the world turns on the spot. */
const MAX_EVENTS_AT_ONE_TIME = 200_000;

/** So many events between two looks at whether a run goes on for ever. */
const MAX_EVENTS = 20_000_000;

/** The world does not come to rest. */
export class RestlessWorldError extends Error {
  override readonly name = "RestlessWorldError";
}

/**
 * The one clock of a simulated world, and everything that will happen in it. Between two events every promise that can go on has gone on, so
 * whatever a process does, it does within one event.
 */
export class VirtualTime {
  readonly #queue = new EventQueue();
  #nowMs = 0;
  #sequence = 0;
  #events = 0;
  #atThisTime = 0;

  /** Milliseconds since the world began. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /** Events that have happened. */
  get events(): number {
    return this.#events;
  }

  /** Events that will happen. */
  get planned(): number {
    return this.#queue.planned;
  }

  /** After so many milliseconds, behind what was planned for the same time before. */
  after(delayMs: number, work: () => void): Timer {
    const event = new Event(this.#nowMs + Math.max(0, delayMs), this.#sequence, work);
    this.#sequence += 1;
    this.#queue.push(event);
    return event;
  }

  /** Lets everything happen up to this time. To be called from an event of the real event loop, not from a promise. */
  runUntil(untilMs: number): void {
    drainMicrotasks();
    for (let head = this.#queue.head; head !== undefined && head.atMs <= untilMs; head = this.#queue.head) {
      this.#queue.shift();
      this.#happen(head);
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  #happen(event: Event): void {
    const { work } = event;
    if (work === undefined) return;
    event.work = undefined;
    this.#count(event.atMs);
    work();
    drainMicrotasks();
  }

  #count(atMs: number): void {
    this.#atThisTime = atMs === this.#nowMs ? this.#atThisTime + 1 : 0;
    this.#nowMs = atMs;
    this.#events += 1;
    if (this.#atThisTime > MAX_EVENTS_AT_ONE_TIME || this.#events > MAX_EVENTS)
      throw new RestlessWorldError(`${this.#events} events by ${this.#nowMs} ms, and no end`);
  }
}
