import { encodeText } from "./encoding.ts";
import type { Entry } from "./store-calls.ts";

const HEAD = encodeText('{"batch":[');
const COMMA = 44;
const FIRST_CAPACITY_BYTES = 4_096;
/** What follows the time of the request: the body's end. */
const END = encodeText('"}');
/** As long as each time that is written over it. */
const TIME_PLACE = "0000-00-00T00:00:00.000Z";

/** What follows a batch's messages: its context, and a place for the time of the request. */
export function tailOf(contextJson: string): Uint8Array {
  return encodeText(`],"context":${contextJson},"sentAt":"${TIME_PLACE}"}`);
}

/** About what a batch takes beside its body: a buffer's own, ids, ends, a promise. */
const BATCH_OWN_BYTES = 1_024;

/** What a batch takes of the queue's room before its first message: many small ones would otherwise be held for nothing. */
export function roomOfBatch(tail: Uint8Array): number {
  return HEAD.length + tail.length + BATCH_OWN_BYTES;
}

/** The body of a request that grows by its messages, and what must be known of each. */
export class Batch {
  /** The ids of its messages. */
  readonly ids: string[] = [];
  /** Their places in the store, where there is one. */
  readonly entries: Entry[] = [];
  /** What it takes of the queue's room. */
  roomBytes: number;
  /** When it was ready to be sent, on the steady clock; retries end by it. */
  sealedAtMs = 0;
  /** How many of its messages beacons have taken, from the first one on. */
  copied = 0;
  /** Up to when it may be sent, on the wall clock. */
  readonly expiresAtMs: number;
  /** Resolves when each message is delivered, handed to `onError` or left in the store. */
  readonly settled: Promise<void>;
  readonly settle: () => void;
  readonly #ends: number[] = [];
  #body = new Uint8Array(FIRST_CAPACITY_BYTES);
  #size = 0;

  /** `roomBytes`: what it takes without messages. */
  constructor(roomBytes: number, expiresAtMs: number) {
    this.roomBytes = roomBytes;
    this.expiresAtMs = expiresAtMs;
    let settle = (): void => undefined;
    this.settled = new Promise((resolve) => {
      settle = resolve;
    });
    this.settle = settle;
    this.#append(HEAD);
  }

  get count(): number {
    return this.#ends.length;
  }

  /** The size of the body with one more message and its tail. */
  sizeWith(messageBytes: number, tailBytes: number): number {
    return this.#size + messageBytes + tailBytes + (this.count > 0 ? 1 : 0);
  }

  /** Copies the message. */
  add(message: Uint8Array, messageId: string, entry: Entry | undefined): void {
    this.#reserve(message.length + 1);
    if (this.count > 0) this.#body[this.#size++] = COMMA;
    this.#append(message);
    this.#ends.push(this.#size);
    this.ids.push(messageId);
    if (entry !== undefined) this.entries.push(entry);
    this.roomBytes += message.length;
  }

  /** Ends the body, in a buffer of its size: it may wait for as long as an outage. */
  seal(tail: Uint8Array, uptimeMs: number): void {
    this.#resize(this.#size + tail.length);
    this.#append(tail);
    this.sealedAtMs = uptimeMs;
  }

  /** The body of a request at this time: a copy, as a request that was given up may still be reading its own. */
  bodyAt(nowMs: number): Uint8Array<ArrayBuffer> {
    const body = this.#body.slice(0, this.#size);
    body.set(encodeText(new Date(nowMs).toISOString()), body.length - END.length - TIME_PLACE.length);
    return body;
  }

  /** The JSON of one message. */
  message(index: number): string {
    const start = index === 0 ? HEAD.length : (this.#ends[index - 1] ?? 0) + 1;
    return new TextDecoder().decode(this.#body.subarray(start, this.#ends[index]));
  }

  #append(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#body.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  #reserve(bytes: number): void {
    const needed = this.#size + bytes;
    if (needed > this.#body.length) this.#resize(Math.max(needed, 2 * this.#body.length));
  }

  #resize(bytes: number): void {
    const resized = new Uint8Array(bytes);
    resized.set(this.#body.subarray(0, this.#size));
    this.#body = resized;
  }
}
