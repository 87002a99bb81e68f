import { backoffMs } from "./backoff.ts";
import type { Capacity, Waiter } from "./capacity.ts";
import { toError } from "./errors.ts";
import { type Held, hold, received } from "./held.ts";
import { isPoison } from "./poison.ts";
import { isWorthLogging } from "./repeated-warning.ts";
import type { FetchedBatch } from "./session.ts";
import { type SettlementParts, settleRecord } from "./settlement.ts";
import { Tracker } from "./tracker.ts";
import type { KafkaLogger, OutgoingRecord, RawRecord, Received, Step, TopicPartition } from "./types.ts";

/**
 * Fetching stops above the first and goes on below the second. What is left then bridges the time until the resume takes effect:
 * 256 KiB of 0.6 KiB records in 250 ms are 1,700 records a second and partition.
 */
const HOLD_BYTES = { pauseAbove: 512 * 1024, resumeBelow: 256 * 1024 };

/** Steps in one turn of the event loop; timers and sockets get theirs in between. */
const STEPS_PER_TURN = 256;

/** A due time is looked at again at least so often, so that a moved clock is noticed. */
const MAX_DUE_WAIT_MS = 1_000;

const DECODE_RETRY_MS = { first: 100, max: 5_000 };

/** What a record weighs in memory beside its value. */
const RECORD_OVERHEAD_BYTES = 200;

/** What a reader does with its records. */
export interface Work<T> {
  decode(record: RawRecord): T | Promise<T>;
  readonly step: Step<T>;
  deadLetter(record: RawRecord, error: Error): readonly OutgoingRecord[];
  dueAtMs?: ((record: Received<T>) => number) | undefined;
  /** Resolves when the records are durable. */
  write(records: readonly OutgoingRecord[]): Promise<void>;
}

export interface LaneParts<T> {
  readonly work: Work<T>;
  readonly capacity: Capacity;
  readonly logger: KafkaLogger;
  now(): number;
  /** Starts or stops fetching this partition. */
  setPaused(partition: TopicPartition, paused: boolean): void;
  onSettled(): void;
}

/**
 * One partition of a reader, from fetched to committable. Fetched records are held in order; the head is stepped when it is
 * decoded, due and there is room. The fetch loop never waits for any of it (fact 4): above a bound the partition is paused.
 */
export class Lane<T> implements Waiter {
  readonly partition: TopicPartition;
  readonly #parts: LaneParts<T>;
  readonly #settlement: SettlementParts<T>;
  #tracker = new Tracker();
  #held: Held<T>[] = [];
  #head = 0;
  #heldBytes = 0;
  #outstanding = 0;
  #isOpen = false;
  #mayRepeat = false;
  #isOwnedAnew = false;
  #isPaused = false;
  #isDecoding = false;
  #isAdvancing = false;
  #decodeFailures = 0;
  #timer: NodeJS.Timeout | undefined;
  #turn: NodeJS.Immediate | undefined;

  constructor(partition: TopicPartition, parts: LaneParts<T>) {
    this.partition = partition;
    this.#parts = parts;
    const { work, logger } = parts;
    this.#settlement = { work, logger, onDone: (held) => this.#done(held) };
  }

  /** First offset not fetched yet. */
  get next(): number | undefined {
    return this.#tracker.next;
  }

  /** What may be committed: everything before it is done. */
  get committable(): number | undefined {
    return this.#tracker.committable;
  }

  /** Records stepped and not settled. */
  get outstanding(): number {
    return this.#outstanding;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** Records fetched and not stepped. */
  get held(): number {
    return this.#held.length - this.#head;
  }

  /**
   * A new generation: the next batches may begin before what was seen, because the client goes back to the last commit. Where
   * another member may have read meanwhile, the first of them shows how far the group has come.
   */
  expectRefetch({ isOwnedAnew }: { isOwnedAnew: boolean }): void {
    this.#mayRepeat = true;
    this.#isOwnedAnew = isOwnedAnew;
  }

  /** Takes fetched records; those seen before are dropped. */
  offer(batch: Pick<FetchedBatch, "records" | "highWatermark" | "nextOffset">): void {
    const [first] = batch.records;
    if (first === undefined) return;
    if (this.#isOwnedAnew) this.#tracker.resumeAt(first.offset);
    this.#isOwnedAnew = false;
    if (this.#isLogCut(first.offset, batch.highWatermark)) this.#startOver(first.offset);
    if (batch.nextOffset >= (this.#tracker.next ?? 0)) this.#mayRepeat = false;
    for (const record of batch.records) {
      const held = hold<T>(record);
      if (!this.#tracker.see(held)) continue;
      this.#held.push(held);
      this.#heldBytes += sizeOf(record);
    }
    this.#advance();
  }

  /** Stepping may begin, or go on. */
  open(): void {
    this.#isOpen = true;
    this.#advance();
  }

  /** No further steps; what is outstanding still settles. */
  close(): void {
    this.#isOpen = false;
    this.#stopWaiting();
  }

  /** The partition is no longer ours: what was not stepped is somebody else's, and forgotten here. */
  drop(): void {
    this.close();
    for (const held of this.#held.slice(this.#head)) if (this.#tracker.rewind(held)) break;
    this.#held = [];
    this.#head = 0;
    this.#heldBytes = 0;
    this.#isPaused = false;
  }

  onRoom(): void {
    this.#advance();
  }

  /** The log ends before what was seen, or goes back without a new generation: other records stand under the old offsets now. */
  #isLogCut(firstOffset: number, highWatermark: number): boolean {
    const { next } = this.#tracker;
    if (next === undefined) return false;
    return highWatermark < next || (firstOffset < next && !this.#mayRepeat);
  }

  /** What was read before the cut is still worked on; it no longer counts for the commits. */
  #startOver(firstOffset: number): void {
    const facts = { ...this.partition, seenUpTo: this.#tracker.next, nowAt: firstOffset };
    this.#parts.logger.error(facts, "a partition's log was cut; it is read again from there");
    this.#tracker = new Tracker();
  }

  #stopWaiting(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
    this.#timer = undefined;
    this.#turn = undefined;
    this.#parts.capacity.forget(this);
  }

  /** Steps the head for as long as it can be stepped. A step that settles at once comes back here; the guard keeps it flat. */
  #advance(): void {
    if (this.#isAdvancing || !this.#isOpen || this.#timer !== undefined || this.#turn !== undefined) return;
    this.#isAdvancing = true;
    let steps = 0;
    while (steps < STEPS_PER_TURN && this.#stepHead()) steps += 1;
    this.#isAdvancing = false;
    if (steps === STEPS_PER_TURN) this.#advanceInNextTurn();
    this.#regulateFetching();
  }

  #advanceInNextTurn(): void {
    this.#turn = setImmediate(() => {
      this.#turn = undefined;
      this.#advance();
    });
  }

  #advanceIn(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#advance();
    }, delayMs);
  }

  /** False when the head has to wait, or there is none. */
  #stepHead(): boolean {
    const head = this.#decodedHead();
    if (head === undefined || !this.#isDue(head)) return false;
    const sizeBytes = sizeOf(head.record);
    if (!this.#parts.capacity.tryTake(sizeBytes, this)) return false;
    this.#shift(sizeBytes);
    this.#outstanding += 1;
    settleRecord(head, this.#settlement);
    return true;
  }

  #done(held: Held<T>): void {
    this.#tracker.done(held);
    this.#outstanding -= 1;
    this.#parts.capacity.release(sizeOf(held.record));
    this.#parts.onSettled();
  }

  #isDue({ received }: Held<T>): boolean {
    const { work, now } = this.#parts;
    if (received === undefined || work.dueAtMs === undefined) return true;
    const waitMs = work.dueAtMs(received) - now();
    if (!(waitMs > 0)) return true;
    this.#advanceIn(Math.min(waitMs, MAX_DUE_WAIT_MS));
    return false;
  }

  /** The head, decoded or known as undecodable; undefined while there is none or its schema is awaited. */
  #decodedHead(): Held<T> | undefined {
    const head = this.#held[this.#head];
    if (head === undefined || head.received !== undefined || head.poison !== undefined) return head;
    if (this.#isDecoding) return undefined;
    try {
      const decoded = this.#parts.work.decode(head.record);
      if (isPromise(decoded)) void this.#awaitDecoded(head, decoded);
      else this.#decoded(head, decoded);
    } catch (thrown) {
      this.#decodeFailed(head, thrown);
    }
    return head.received === undefined && head.poison === undefined ? undefined : head;
  }

  async #awaitDecoded(head: Held<T>, decoding: Promise<T>): Promise<void> {
    this.#isDecoding = true;
    try {
      this.#decoded(head, await decoding);
    } catch (thrown) {
      this.#decodeFailed(head, thrown);
    } finally {
      this.#isDecoding = false;
    }
    this.#advance();
  }

  #decoded(head: Held<T>, decoded: T): void {
    this.#decodeFailures = 0;
    head.received = received(head.record, decoded);
  }

  #decodeFailed(head: Held<T>, thrown: unknown): void {
    const error = toError(thrown);
    if (isPoison(thrown)) {
      head.poison = error;
      return;
    }
    if (this.#held[this.#head] !== head) return; // The partition was dropped meanwhile.
    this.#decodeFailures += 1;
    if (isWorthLogging(this.#decodeFailures)) {
      const { topic, partition, offset } = head.record;
      const facts = { topic, partition, offset, failures: this.#decodeFailures, error: error.message };
      this.#parts.logger.warn(facts, "a record cannot be decoded yet; its partition waits");
    }
    this.#advanceIn(backoffMs(this.#decodeFailures, DECODE_RETRY_MS.first, DECODE_RETRY_MS.max));
  }

  #shift(sizeBytes: number): void {
    this.#heldBytes -= sizeBytes;
    this.#head += 1;
    if (this.#head === this.#held.length) {
      this.#held = [];
      this.#head = 0;
    } else if (this.#head >= STEPS_PER_TURN) {
      this.#held = this.#held.slice(this.#head);
      this.#head = 0;
    }
  }

  #regulateFetching(): void {
    const paused = this.#isPaused
      ? this.#heldBytes >= HOLD_BYTES.resumeBelow
      : this.#heldBytes > HOLD_BYTES.pauseAbove;
    if (paused === this.#isPaused) return;
    this.#isPaused = paused;
    this.#parts.setPaused(this.partition, paused);
  }
}

function sizeOf(record: RawRecord): number {
  return (record.value?.length ?? 0) + RECORD_OVERHEAD_BYTES;
}

function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return (
    typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function"
  );
}
