import type { DestinationName } from "./behaviours.ts";
import { routeOf, userOf } from "./calls.ts";
import type { Attempt, DeadCall, Disturbance, Ledger, SentCall } from "./ledger.ts";

type Open<T> = { -readonly [K in keyof T]: T[K] };

/** Keeps the ledger while a run goes on. */
export class Recorder {
  readonly #sent: Open<SentCall>[] = [];
  readonly #attempts: Attempt[] = [];
  readonly #disturbances: Disturbance[] = [];
  /** Acknowledged calls that a destination has not taken yet. */
  readonly #open = new Set<string>();
  readonly #taken = new Set<string>();
  #acknowledged = 0;

  get acknowledged(): number {
    return this.#acknowledged;
  }

  get attempts(): number {
    return this.#attempts.length;
  }

  /** Destinations of calls that are acknowledged and not yet taken. */
  get open(): number {
    return this.#open.size;
  }

  sent(call: number, sentAtMs: number): void {
    const { destinations } = routeOf(call);
    this.#sent.push({ call, user: userOf(call), destinations, sentAtMs });
  }

  acknowledge(call: number, acknowledgedAtMs: number): void {
    const sent = this.#sent[call];
    if (sent === undefined || sent.acknowledgedAtMs !== undefined) return;
    sent.acknowledgedAtMs = acknowledgedAtMs;
    this.#acknowledged += 1;
    for (const destination of sent.destinations) {
      const key = `${call} ${destination}`;
      if (!this.#taken.delete(key)) this.#open.add(key);
    }
  }

  /** Gives back how to say that the endpoint answered 2xx. */
  attempted(attempt: Omit<Attempt, "isTaken">): () => void {
    const kept: Open<Attempt> = { ...attempt, isTaken: false };
    this.#attempts.push(kept);
    return () => {
      kept.isTaken = true;
      this.#close(kept.call, kept.destination);
    };
  }

  disturbed(disturbance: Disturbance): void {
    this.#disturbances.push(disturbance);
  }

  ledger(dead: readonly DeadCall[]): Ledger {
    return { sent: this.#sent, attempts: this.#attempts, dead, disturbances: this.#disturbances };
  }

  /** An endpoint may be faster than ingest's answer. */
  #close(call: number | undefined, destination: DestinationName): void {
    const key = `${call} ${destination}`;
    const isOpen = this.#open.delete(key);
    if (isOpen || call === undefined) return;
    if (this.#sent[call]?.acknowledgedAtMs === undefined) this.#taken.add(key);
  }
}
