import type { Host } from "#host";
import type { FetchedBatch } from "../session.ts";
import type { KafkaLogger, TopicPartition } from "../types.ts";
import type { Capacity, Waiter } from "./capacity.ts";
import { FetchPause } from "./fetch-pause.ts";
import { HeadDecoder } from "./head-decoder.ts";
import { type Held, HeldQueue, hold } from "./held.ts";
import { NextLook } from "./next-look.ts";
import type { Opening } from "./opening.ts";
import { type CutLog, Place } from "./place.ts";
import { type SettlementParts, settleRecord, type Work } from "./settlement.ts";
import { Term } from "./term.ts";
import { UnderWay } from "./under-way.ts";

/** Steps in one turn of the event loop; timers and sockets get theirs in between. */
const STEPS_PER_TURN = 256;

/** The interval at which the member asks again whether the partition is its own, while that is not sure. */
const UNSURE_RETRY_MS = 50;

export interface PartitionReaderParts<T> {
  readonly work: Work<T>;
  readonly capacity: Capacity;
  readonly maxUnwrittenRecords?: number | undefined;
  readonly logger: KafkaLogger;
  readonly host: Host;
  /** Starts or stops fetching this partition. */
  setPaused(partition: TopicPartition, paused: boolean): void;
  /** Both as in `TermRights`. */
  mayBegin(partition: TopicPartition): boolean;
  isSure(): boolean;
  onSettled(): void;
  /** The partition is lost, and nothing of it is outstanding any more. */
  onLeft(partition: TopicPartition): void;
}

/**
 * One partition of a reader, from fetched to committable. Fetched records are held in order; the head is stepped when it is
 * decoded, due and there is room. The fetch loop never waits for any of it (fact 4): above a bound the partition is paused.
 */
export class PartitionReader<T> implements Waiter {
  readonly partition: TopicPartition;
  /** The place of its reading. */
  readonly place = new Place((cut) => this.#wasCut(cut));
  readonly underWay: UnderWay;
  readonly #parts: PartitionReaderParts<T>;
  readonly #settlement: SettlementParts<T>;
  readonly #decoder: HeadDecoder<T>;
  readonly #held = new HeldQueue<T>();
  readonly #fetchPause: FetchPause;
  readonly #nextLook: NextLook;
  #term: Term;
  #isOpen = false;
  #opening: Opening | undefined;
  #isLost = false;
  #isAdvancing = false;

  constructor(partition: TopicPartition, parts: PartitionReaderParts<T>) {
    const { work, logger, host, maxUnwrittenRecords = Number.POSITIVE_INFINITY } = parts;
    this.partition = partition;
    this.#parts = parts;
    this.#term = this.#newTerm();
    this.underWay = new UnderWay(parts.capacity, maxUnwrittenRecords, () => {
      parts.onSettled();
      this.#leaveWhenIdle();
    });
    this.#fetchPause = new FetchPause((paused) => parts.setPaused(partition, paused));
    this.#nextLook = new NextLook(host, () => this.#advance());
    this.#settlement = {
      work,
      logger,
      host,
      onWriting: () => this.underWay.writing(),
      onWritten: () => this.underWay.written(),
      onDone: (held) => this.#done(held),
      onGivenBack: (held) => this.#takeBack(held),
    };
    this.#decoder = new HeadDecoder<T>({
      logger,
      host,
      decode: (record) => work.decode(record),
      onReady: () => this.#advance(),
      onFailed: (head, retryInMs) => {
        // A head that was dropped meanwhile is not tried again.
        if (head === this.#held.head) this.#nextLook.in(retryInMs);
      },
    });
  }

  /**
   * First offset not given to a step, of the log as it is now; undefined while it is not known where the group's reading goes on. Records of
   * before a cut are stepped too, and say nothing of it: others stand at their offsets.
   */
  get position(): number | undefined {
    return this.#held.firstInLog?.record.offset ?? (this.place.isKnown ? this.place.next : undefined);
  }

  /** Cuts the log, as `Place.cut` does. */
  cut(startOffset: number): number | undefined {
    this.#held.cutAt(startOffset);
    return this.place.cut(startOffset);
  }

  /** Tells work on records that are taken from now on whether this member still owns the partition. */
  get ownership(): Term {
    return this.#term;
  }

  get isPaused(): boolean {
    return this.#fetchPause.isPaused;
  }

  /**
   * Another member may have read meanwhile. The next batches begin at the group's commit: what of them was seen here is not new,
   * and the first of them shows how far the group has come.
   */
  ownAnew(): void {
    this.#isLost = false;
    this.place.ownAnew();
  }

  /** Takes fetched records; those seen before are dropped. */
  offer({ records, nextOffset }: Pick<FetchedBatch, "records" | "nextOffset">): void {
    const [first] = records;
    if (first === undefined) return;
    this.place.begin(first.offset, nextOffset);
    let isAnyPassedOver = false;
    for (const record of records) {
      const held = hold<T>(record);
      if (this.place.see(held.seen)) this.#held.push(held);
      else isAnyPassedOver = true;
    }
    // It may be committed, though nothing is stepped.
    if (isAnyPassedOver) this.#parts.onSettled();
    this.#advance();
    // What comes before the partition is open, or while its head waits, is held too.
    this.#fetchPause.regulate(this.#held.sizeBytes);
  }

  /** Stepping may begin, or go on. */
  open(): void {
    this.#isOpen = true;
    this.#advance();
  }

  /** The way to `open` it later, but only in this term and if it was not closed meanwhile. */
  opening(): Opening {
    const isOver = (): boolean => this.#opening !== opening;
    const opening = {
      partition: this.partition,
      get isOver() {
        return isOver();
      },
      begin: () => this.open(),
    };
    this.#opening = opening;
    return opening;
  }

  /** No further steps; what is outstanding still settles. */
  close(): void {
    this.#isOpen = false;
    this.#opening = undefined;
    this.#nextLook.cancel();
    this.#parts.capacity.forget(this);
  }

  /** The partition is no longer ours: what was not stepped is somebody else's, and forgotten here. */
  drop(): void {
    this.close();
    this.#isLost = true;
    this.#term.end();
    this.#term = this.#newTerm();
    this.place.lose(this.#held.clear().map(({ seen }) => seen));
    this.#fetchPause.reset();
    this.#leaveWhenIdle();
  }

  onRoom(): void {
    this.#advance();
  }

  #wasCut(cut: CutLog): void {
    this.#held.cutAt(cut.nowAt);
    const facts = { ...this.partition, ...cut };
    this.#parts.logger.error(facts, "a partition's log was cut; it is read again from there");
  }

  /** Steps the head for as long as it can be stepped. A step that settles at once calls this again; the guard prevents recursion. */
  #advance(): void {
    if (this.#isAdvancing || !this.#isOpen || this.#nextLook.isAwaited) return;
    this.#isAdvancing = true;
    let steps = 0;
    while (steps < STEPS_PER_TURN && this.#stepHead()) steps += 1;
    this.#isAdvancing = false;
    if (steps === STEPS_PER_TURN) this.#nextLook.inNextTurn();
    this.#fetchPause.regulate(this.#held.sizeBytes);
  }

  /** False when the head has to wait, or there is none. */
  #stepHead(): boolean {
    const { head } = this.#held;
    if (head?.seen.isDone === true) {
      this.#held.shift();
      return true;
    }
    if (head === undefined || !this.#decoder.isDecoded(head) || !this.#isDue(head)) return false;
    if (!this.#parts.mayBegin(this.partition)) {
      this.#nextLook.in(UNSURE_RETRY_MS);
      return false;
    }
    if (!this.underWay.tryBegin(head.sizeBytes, this)) return false;
    this.#held.shift();
    settleRecord(head, this.#term, this.#settlement);
    return true;
  }

  #isDue({ received }: Held<T>): boolean {
    const { work, host } = this.#parts;
    if (received === undefined || work.dueAtMs === undefined) return true;
    const waitMs = work.dueAtMs(received) - host.now();
    if (!(waitMs > 0)) return true;
    this.#nextLook.whenDue(waitMs);
    return false;
  }

  #newTerm(): Term {
    const { isSure, mayBegin } = this.#parts;
    return new Term({ isSure, mayBegin: () => mayBegin(this.partition) });
  }

  #done(held: Held<T>): void {
    this.place.done(held.seen);
    this.underWay.end(held.sizeBytes);
  }

  /** Nobody worked on it: it is stepped again where the partition is still, or again, read here; else its owner will read it. */
  #takeBack(held: Held<T>): void {
    if (this.place.takeBack(held.seen)) this.#held.putBack(held);
    this.underWay.end(held.sizeBytes);
    this.#advance();
  }

  #leaveWhenIdle(): void {
    if (this.#isLost && !this.underWay.isAny) this.#parts.onLeft(this.partition);
  }
}
