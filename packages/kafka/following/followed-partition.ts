import type { Bounds, Polled } from "../cluster.ts";
import { FETCH_PAUSE_MS, PLENTY_RECORDS } from "../fetch-pauses.ts";
import { recordsFrom } from "../records-from.ts";
import { keyOf } from "../topic-partition.ts";
import type { FollowedTopic, TopicPartition } from "../types.ts";

/**
 * The wait after a leader has called an offset out of range that is in its range: it has just become the
 * leader.
 */
const NEW_LEADER_MS = 100;

/** One partition that is followed, and where its reading stands. Pure: others make its requests. */
export class FollowedPartition implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** A poll looks at all of them each time. */
  readonly key: string;
  /** Somebody asks its leader for it. */
  isRead = false;
  /** Its leader has answered since then, and not refused it. */
  hasAnswered = false;
  readonly #followed: FollowedTopic;
  #next: number;
  #notBeforeMs = 0;
  #work: Promise<void> | undefined;
  #isOver = false;

  constructor(followed: FollowedTopic, partition: number) {
    this.topic = followed.topic;
    this.partition = partition;
    this.key = keyOf(this);
    this.#followed = followed;
    this.#next = followed.from?.(partition) ?? 0;
  }

  /** First offset not read. */
  get offset(): number {
    return this.#next;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The time before which nothing is asked for, in the host's elapsed ms. */
  get notBeforeMs(): number {
    return this.#notBeforeMs;
  }

  /** Settles when its last records have been dealt with; undefined when they have. */
  get work(): Promise<void> | undefined {
    return this.#work;
  }

  /** Nothing is told any more. */
  end(): void {
    this.#isOver = true;
  }

  /** Takes the records of a poll that began at this time (Unix ms). */
  take(polled: Extract<Polled, { kind: "records" }>, askedAtMs: number, nowMs: number): void {
    const { end, nextOffset } = polled;
    const records = recordsFrom(polled.records, this.#next);
    this.#next = Math.max(this.#next, nextOffset);
    this.#notBeforeMs = records.length >= PLENTY_RECORDS ? 0 : this.#nextMoment(nowMs);
    const work = this.#followed.onRecords(this.partition, records, this.#next);
    if (work === undefined) this.readUntil(end, askedAtMs);
    else this.hold(work.then(() => this.readUntil(end, askedAtMs)));
  }

  /** A poll that began at this time has brought nothing more. Where the log does not end here there was no room in the answer. */
  readUntil(end: number, atMs: number): void {
    if (!this.#isOver && this.#next >= end) this.#followed.onReadUntil?.(this.partition, this.#next, atMs);
  }

  /** The same for all that are asked for so often, so that one request asks for them. */
  #nextMoment(nowMs: number): number {
    const { everyMs } = this.#followed;
    return everyMs === undefined ? nowMs + FETCH_PAUSE_MS : (Math.floor(nowMs / everyMs) + 1) * everyMs;
  }

  /** Its offset is out of range; these are the log's. */
  clamp({ low, high }: Bounds, nowMs: number): void {
    const offset = this.#next;
    if (offset < low) this.#next = low;
    else if (offset <= high) this.#notBeforeMs = nowMs + NEW_LEADER_MS;
    else {
      this.#next = low;
      this.#followed.onCut?.({ partition: this.partition, fromOffset: offset, endOffset: high });
    }
  }

  /** Nothing is asked for until this has settled; it must not reject. */
  hold(work: Promise<void>): void {
    const held = work.then(() => {
      if (this.#work === held) this.#work = undefined;
    });
    this.#work = held;
  }
}
