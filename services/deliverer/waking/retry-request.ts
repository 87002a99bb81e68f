import type { TopicPartition } from "#kafka";
import {
  ChosenCalls,
  type DeliveryJob,
  EVERY_CALL,
  RetriedPlaces,
  type RetryPlace,
  type RetryRequest,
} from "#topics";
import type { JobInHand } from "./jobs-in-hand.ts";

/** Clocks of two machines may differ by so much. */
const SKEW_MS = 5_000;

/**
 * The time after which the topics have every job that other processes put off before they heard of the
 * request. This process knows its own jobs in hand.
 */
const LOOK_AGAIN_MS = 2_000;

/** When it was asked where a partition ends. */
interface PassBegin {
  /** The time by a clock that nobody sets. */
  readonly beganAtMs: number;
  /** The destination's jobs that this process worked on: they may go to a retry topic, behind that end. */
  readonly inHand: ReadonlySet<JobInHand>;
}

/** The result of one pass for a destination's jobs in one partition. */
export interface PassEnd extends PassBegin {
  /** The pass has seen all of the partition, and every call that is meant was taken, or keeps its time for good reason. */
  readonly isWhole: boolean;
}

/** A request as a process knows it: which calls it means, and in which partitions it is carried out. */
export class OpenRequest {
  readonly request: RetryRequest;
  /** It means nothing that failed later, wherever that stands. The time of what was read at the start is another machine's. */
  readonly #untilMs: number;
  #failedBeforeMs: number;
  readonly #nowMs: () => number;
  #chosen: ChosenCalls;
  readonly #places = new RetriedPlaces();
  /** Where each partition ended when it was looked through for the request at first. */
  readonly #ends = new Map<string, number>();
  /** The first whole pass in each partition that this process has. */
  readonly #firstPasses = new Map<string, PassBegin>();
  #unreported: RetryPlace[] = [];
  #woken = 0;
  /** Endpoints that were asked ahead of their time for it. */
  readonly #probed = new Set<string>();

  /** `isLive`: it was written just now, and not before this process was there. */
  constructor(request: RetryRequest, nowMs: () => number, isLive: boolean) {
    this.request = request;
    this.#nowMs = nowMs;
    this.#untilMs = isLive ? Number.POSITIVE_INFINITY : request.askedAtMs + SKEW_MS;
    // The request does not mean what fails from now on.
    this.#failedBeforeMs = Math.min(nowMs(), this.#untilMs);
    this.#chosen = new ChosenCalls(request);
  }

  get isOfDeleted(): boolean {
    return this.request.kind === "deleted";
  }

  /** The number of message ids in the request. */
  get size(): number {
    return this.#chosen.size;
  }

  /** `spot`: where the job waits. */
  means(job: DeliveryJob, spot: TopicPartition & { readonly offset: number }): boolean {
    if (this.isOfDeleted) return true;
    return this.#isFromBefore(job.failedAtMs ?? 0, spot) && this.#chosen.has(job);
  }

  #isFromBefore(failedAtMs: number, spot: TopicPartition & { readonly offset: number }): boolean {
    if (failedAtMs <= this.#failedBeforeMs) return true;
    const stoodBefore = spot.offset < (this.#ends.get(keyOf(spot)) ?? 0);
    if (stoodBefore && failedAtMs <= this.#untilMs) return true;
    // This process's clock is behind: another process put the job off before the request, and it may have moved on since.
    return failedAtMs > this.#nowMs() && failedAtMs <= this.request.askedAtMs;
  }

  /**
   * The partition is looked through, up to this offset. What stands there at first had failed before, whatever clocks say: that of who put it off may
   * have been ahead, and ours may be behind.
   */
  looksBelow(partition: TopicPartition, endOffset: number): void {
    const key = keyOf(partition);
    if (!this.#ends.has(key)) this.#ends.set(key, endOffset);
  }

  /** It means every call that the other one does. A deletion means none while its destination is there. */
  covers(other: OpenRequest): boolean {
    const isSameKind = this.isOfDeleted === other.isOfDeleted;
    return isSameKind && this.#failedBeforeMs >= other.#failedBeforeMs && this.#chosen.covers(other.#chosen);
  }

  /**
   * Extends the request: from now on it means every call that had failed when it or one of the others was
   * asked for.
   */
  standFor(others: readonly OpenRequest[]): void {
    this.#chosen = new ChosenCalls(EVERY_CALL);
    for (const other of others)
      for (const [key, end] of other.#ends) this.#ends.set(key, Math.max(end, this.#ends.get(key) ?? 0));
    this.#failedBeforeMs = Math.max(this.#failedBeforeMs, ...others.map((each) => each.#failedBeforeMs));
  }

  /** An endpoint that is taken for down is asked with one call for each request: `ask` says whether it may be now. */
  probe(endpoint: string, ask: () => boolean): void {
    if (!this.#probed.has(endpoint) && ask()) this.#probed.add(endpoint);
  }

  /** Another process, or this one earlier, has said so. */
  done(places: readonly RetryPlace[]): void {
    for (const place of places) this.#places.add(place);
  }

  isDone(topics: readonly string[]): boolean {
    return this.#places.covers(topics) && this.#unreported.length === 0 && this.#woken === 0;
  }

  isDoneIn(partition: TopicPartition): boolean {
    return this.#places.has(partition);
  }

  /** Whether there is something to do in one of these partitions. */
  isDue(partitions: readonly TopicPartition[], elapsedMs: number): boolean {
    return partitions.some((partition) => {
      if (this.isDoneIn(partition)) return false;
      const first = this.#firstPasses.get(keyOf(partition));
      if (first === undefined) return true;
      return elapsedMs - first.beganAtMs >= LOOK_AGAIN_MS && [...first.inHand].every(({ isOver }) => isOver);
    });
  }

  took(): void {
    this.#woken += 1;
  }

  /** A partition is done when a second pass, some time after the first and what was in hand then, has found nothing more to take. */
  passed(place: RetryPlace, { beganAtMs, inHand, isWhole }: PassEnd): void {
    if (!isWhole || this.isDoneIn(place)) return;
    const key = keyOf(place);
    const first = this.#firstPasses.get(key);
    if (first === undefined) this.#firstPasses.set(key, { beganAtMs, inHand });
    if (first === undefined || beganAtMs - first.beganAtMs < LOOK_AGAIN_MS) return;
    if ([...first.inHand].some((job) => inHand.has(job))) return;
    this.#firstPasses.delete(key);
    this.#places.add(place);
    this.#unreported.push(place);
  }

  /** A whole pass has been here, and there was nothing more to take. */
  hasPassed(place: TopicPartition): boolean {
    return this.#firstPasses.has(keyOf(place));
  }

  /** A job that it means left this place for another one, where a pass may not have seen it: the partition is looked through once more. */
  movedOn(place: TopicPartition): void {
    this.#firstPasses.delete(keyOf(place));
  }

  /** Partitions may have been another's: what was seen in them counts no more. */
  forgetPasses(): void {
    this.#firstPasses.clear();
  }

  /** Takes the progress to write; undefined: nothing new. */
  takeReport(): RetryRequest | undefined {
    const places = this.#unreported;
    const woken = this.#woken;
    if (places.length === 0 && woken === 0) return undefined;
    this.#unreported = [];
    this.#woken = 0;
    return { ...this.request, ...EVERY_CALL, found: null, done: { places, woken } };
  }

  /** A report that could not be written. */
  putBack({ places, woken }: NonNullable<RetryRequest["done"]>): void {
    this.#unreported.unshift(...places);
    this.#woken += woken;
  }
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}:${partition}`;
}
