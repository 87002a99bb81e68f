import type { Refusal } from "./acceptance.ts";
import { Batch, roomOfBatch } from "./batch.ts";
import type { Host } from "./host.ts";
import { MAX_BATCH_BYTES, MAX_MESSAGE_BYTES } from "./limits.ts";
import type { Settings } from "./options.ts";
import type { Entry } from "./store-calls.ts";

export interface QueueParts {
  readonly settings: Pick<Settings, "flushAt" | "flushAfterMs" | "queueBytes">;
  readonly host: Pick<Host, "uptimeMs" | "setTimer" | "clearTimer">;
  readonly tail: Uint8Array;
  /** Called when a batch has become ready. */
  readonly onReady: () => void;
}

/** The batch that grows, and those that are ready, in order. */
export class Queue {
  readonly #parts: QueueParts;
  #ready: Batch[] = [];
  /** All sealed batches that are not settled: ready ones and those under way, in order. */
  readonly #unsettled = new Set<Batch>();
  /** What a batch takes before its first message. */
  readonly #batchBytes: number;
  #open: Batch | undefined;
  #roomBytes = 0;
  #isClosed = false;
  #flushedAtMs: number;
  #timer: unknown;
  /** There while no batch may be sent. */
  #holdTimer: unknown;
  #waiting: (() => void)[] = [];

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#batchBytes = roomOfBatch(parts.tail);
    this.#flushedAtMs = parts.host.uptimeMs();
  }

  /** Accepts a message, which is copied, or says why not. */
  add(
    message: Uint8Array,
    messageId: string,
    entry: Entry | undefined,
  ): Extract<Refusal, "closed" | "queue_full"> | undefined {
    if (this.#isClosed) return "closed";
    if (!this.#hasRoom(message.length)) return "queue_full";
    this.#append(message, messageId, entry);
    return undefined;
  }

  /** Takes a message that was accepted by an earlier client, whether there is room or not; false when the queue is closed. */
  restore(message: Uint8Array, messageId: string, entry: Entry): boolean {
    if (!this.#isClosed) this.#append(message, messageId, entry);
    return !this.#isClosed;
  }

  /** Lets what an earlier client has left be restored before all that waits. */
  restoreFirst(restore: () => void): void {
    this.flush();
    const later = this.#ready;
    this.#ready = [];
    restore();
    if (later.length === 0) return;
    this.flush();
    this.#ready = [...this.#ready, ...later];
  }

  /** Lets no batch be sent until `release`, or for so long. */
  hold(ms: number): void {
    this.#holdTimer = this.#parts.host.setTimer(() => this.release(), ms);
  }

  release(): void {
    if (this.#holdTimer === undefined) return;
    this.#parts.host.clearTimer(this.#holdTimer);
    this.#holdTimer = undefined;
    this.#parts.onReady();
  }

  /** Resolves when there is room for a message of any size, or the queue is closed. */
  async room(): Promise<void> {
    while (!this.#isClosed && !this.#hasRoom(MAX_MESSAGE_BYTES)) {
      // What waits in the growing batch takes room, too.
      this.flush();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  /** A message may be the first one of another batch. */
  #hasRoom(messageBytes: number): boolean {
    return this.#roomBytes + this.#batchBytes + messageBytes <= this.#parts.settings.queueBytes;
  }

  #append(message: Uint8Array, messageId: string, entry: Entry | undefined): void {
    const { tail, settings } = this.#parts;
    const expiresAtMs = entry?.expiresAtMs ?? Number.POSITIVE_INFINITY;
    const open = this.#open;
    if (
      open &&
      (open.expiresAtMs !== expiresAtMs || open.sizeWith(message.length, tail.length) > MAX_BATCH_BYTES)
    )
      this.flush();
    if (this.#open === undefined) {
      this.#open = new Batch(this.#batchBytes, expiresAtMs);
      this.#roomBytes += this.#batchBytes;
      this.#startTimer();
    }
    this.#open.add(message, messageId, entry);
    this.#roomBytes += message.length;
    if (this.#open.count >= settings.flushAt) this.flush();
  }

  /** Sets the end of the time since the last flush; times in which there was nothing to flush count as flushed. */
  #startTimer(): void {
    const { host, settings } = this.#parts;
    const sinceMs = (host.uptimeMs() - this.#flushedAtMs) % settings.flushAfterMs;
    this.#timer = host.setTimer(() => this.flush(), settings.flushAfterMs - sinceMs);
  }

  /** Makes the growing batch ready. */
  flush(): void {
    const batch = this.#open;
    if (batch === undefined) return;
    const { host, tail, onReady } = this.#parts;
    host.clearTimer(this.#timer);
    this.#open = undefined;
    this.#flushedAtMs = host.uptimeMs();
    batch.seal(tail, this.#flushedAtMs);
    this.#ready.push(batch);
    this.#unsettled.add(batch);
    onReady();
  }

  /** Makes everything ready and gives the batches that are not settled yet. */
  flushAll(): readonly Batch[] {
    this.flush();
    return [...this.#unsettled];
  }

  /** The next batch that may be sent, in order. */
  next(): Batch | undefined {
    return this.#holdTimer === undefined ? this.#ready.shift() : undefined;
  }

  /** Says that nothing is left to do for a batch. */
  settle(batch: Batch): void {
    this.#roomBytes -= batch.roomBytes;
    this.#unsettled.delete(batch);
    batch.settle();
    this.#wake();
  }

  /** Refuses further messages and makes what is there ready. */
  close(): void {
    this.#isClosed = true;
    this.flush();
    this.#wake();
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
