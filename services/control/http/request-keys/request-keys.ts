// Which request holds an Idempotency-Key, and how it has ended. Kafka has no compare-and-set; its log has an order: of the requests that begin a
// key the first one holds it, and every process reads them in that order.
import type { RequestKey } from "#topics";

/** How long an answer is repeated. */
export const KEY_KEPT_MS = 24 * 3_600_000;
/** Clocks differ: what one process takes for over, another may still compare with. */
const FORGOTTEN_AFTER_MS = KEY_KEPT_MS + 3_600_000;
/** Of all answers and what is known beside them: some forty thousand keys. One token has a quarter: it does not take the others' room. */
const BOUNDS: KeyBounds = { maxBytes: 64 * 1024 * 1024, maxTokenBytes: 16 * 1024 * 1024 };
/** Two objects, four short texts and a place in a map. */
const BYTES_A_KEY = 600;

export interface KeyBounds {
  readonly maxBytes: number;
  readonly maxTokenBytes: number;
}

/** The request that holds a key. */
export interface Held {
  /** Its first record. */
  readonly begun: RequestKey;
  /** Its newest one. */
  readonly last: RequestKey;
}

/** Fed with every record of the topic, in the order of each key. */
export class RequestKeys {
  readonly #bounds: KeyBounds;
  /** About as old as they were begun. */
  readonly #held = new Map<string, Held>();
  /** Claims of this process whose first record is on its way. */
  readonly #unread = new Set<string>();
  /** By token; those of the version before are null's. */
  readonly #bytes = new Map<string | null, number>();

  constructor(bounds: KeyBounds = BOUNDS) {
    this.#bounds = bounds;
  }

  get size(): number {
    return this.#held.size;
  }

  /** There is no room for another key of the token; those that are there can be asked for. */
  isFullFor(token: string): boolean {
    const { maxBytes, maxTokenBytes } = this.#bounds;
    let bytes = 0;
    for (const each of this.#bytes.values()) bytes += each;
    return bytes >= maxBytes || (this.#bytes.get(token) ?? 0) >= maxTokenBytes;
  }

  observe(record: RequestKey): void {
    const { claim, id, state } = record;
    const held = this.#held.get(id);
    if (state === "begun") {
      this.#unread.delete(claim);
      if (!isFree(held, record)) return;
      // Behind all others: one that has not come to an end yet would keep those behind it from being forgotten.
      this.#set(id, undefined);
      this.#set(id, { begun: record, last: record });
    } else if (held?.begun.claim === claim) {
      this.#set(id, state === "released" ? undefined : { begun: held.begun, last: record });
    }
  }

  /** The request that holds the key; undefined when none does, or for longer than a key is kept. */
  get(id: string, nowMs: number): Held | undefined {
    const held = this.#held.get(id);
    return held === undefined || isOver(held, nowMs) ? undefined : held;
  }

  /** To be called before the claim is written. */
  await(claim: string): void {
    this.#unread.add(claim);
  }

  /** Whether an awaited claim was read, and so whoever came before it. */
  hasRead(claim: string): boolean {
    return !this.#unread.has(claim);
  }

  /** The claim was not written, or nobody waits for it any more. */
  abandon(claim: string): void {
    this.#unread.delete(claim);
  }

  /** Removes what is too old for anybody. */
  forget(nowMs: number): void {
    for (const [id, { begun }] of this.#held)
      if (nowMs - begun.atMs >= FORGOTTEN_AFTER_MS) this.#set(id, undefined);
      else return;
  }

  #set(id: string, next: Held | undefined): void {
    this.#count(this.#held.get(id), -1);
    this.#count(next, 1);
    if (next === undefined) this.#held.delete(id);
    else this.#held.set(id, next);
  }

  #count(held: Held | undefined, sign: 1 | -1): void {
    if (held === undefined) return;
    const { token } = held.begun;
    const bytes = (this.#bytes.get(token) ?? 0) + sign * sizeOf(held);
    if (bytes === 0) this.#bytes.delete(token);
    else this.#bytes.set(token, bytes);
  }
}

function sizeOf({ begun, last }: Held): number {
  return BYTES_A_KEY + begun.ciphertext.length + (last === begun ? 0 : last.ciphertext.length);
}

/** Carried out: with an answer that is repeated, or with one that was too large to keep. */
const ENDED: ReadonlySet<string> = new Set(["finished", "unkept"]);

/** Who follows has seen that a request has ended without a change; one that has an answer after all keeps the key. */
function isFree(held: Held | undefined, { atMs, follows }: RequestKey): boolean {
  if (held === undefined || isOver(held, atMs)) return true;
  return held.begun.claim === follows && !ENDED.has(held.last.state);
}

function isOver({ begun }: Held, nowMs: number): boolean {
  return nowMs - begun.atMs >= KEY_KEPT_MS;
}
