import type { Host } from "#host";
import { backoffMs } from "../backoff.ts";
import { DECODE_AGAIN_MS, isPoison, isPromise, reportUndecoded } from "../decoding.ts";
import { toError } from "../errors.ts";
import type { Shutdown } from "../shutdown.ts";
import type { KafkaLogger, RawRecord } from "../types.ts";

/** Records in one turn of the event loop, of all partitions together; timers and sockets get theirs in between. */
const RECORDS_A_TURN = 256;
/** Listeners may compile what they are called with: after so long the event loop turns. */
const READING_MS = 10;

export interface RecordReaderParts<T> {
  decode(record: RawRecord): T | Promise<T>;
  /** Called with each record. An error that it throws is logged, and the reading goes on. */
  onRecord(record: RawRecord, decoded: T): void;
  /** It can never be decoded. */
  onPoison(record: RawRecord, error: Error): void;
  readonly ending: Shutdown;
  readonly logger: KafkaLogger;
  readonly host: Host;
}

/** Decodes records one after the other and hands each on; waits for a schema that cannot be had yet. */
export class RecordReader<T> {
  readonly #parts: RecordReaderParts<T>;
  #inTurn = 0;
  #readingMs = 0;
  /** When the last record was read, or the reading went on. */
  #readAtMs = 0;
  #turning: Promise<void> | undefined;

  constructor(parts: RecordReaderParts<T>) {
    this.#parts = parts;
  }

  /** A promise where it takes longer than this turn of the event loop; it never rejects, and ends early at the end of everything. */
  read(records: readonly RawRecord[]): void | Promise<void> {
    return this.#readFrom(records, 0);
  }

  #readFrom(records: readonly RawRecord[], from: number): void | Promise<void> {
    this.#readAtMs = this.#parts.host.elapsed();
    for (let index = from; index < records.length; index += 1) {
      const record = records[index] as RawRecord;
      if (this.#isTurnOver) return this.#nextTurn().then(() => this.#readFrom(records, index));
      const later = this.#readOne(record);
      if (later !== undefined) return later.then(() => this.#readFrom(records, index + 1));
    }
  }

  #readOne(record: RawRecord): void | Promise<void> {
    if (this.#parts.ending.why !== undefined) return;
    this.#inTurn += 1;
    try {
      const decoded = this.#parts.decode(record);
      if (isPromise(decoded)) return this.#wait(record, decoded);
      this.#tell(record, decoded);
    } catch (thrown) {
      if (!isPoison(thrown)) return this.#wait(record, Promise.reject(thrown));
      this.#parts.onPoison(record, toError(thrown));
    }
  }

  async #wait(record: RawRecord, decoding: Promise<T>): Promise<void> {
    const { ending, host } = this.#parts;
    let next = decoding;
    for (let failures = 1; ending.why === undefined; failures += 1) {
      try {
        this.#tell(record, await ending.or(next));
        return;
      } catch (thrown) {
        if (ending.why !== undefined) return;
        if (isPoison(thrown)) {
          this.#parts.onPoison(record, toError(thrown));
          return;
        }
        reportUndecoded(record, { error: toError(thrown), failures, logger: this.#parts.logger });
        await ending.pause(backoffMs(failures, DECODE_AGAIN_MS, host)).catch(() => undefined);
      }
      next = Promise.resolve(record).then((again) => this.#parts.decode(again));
    }
    next.catch(() => undefined);
  }

  #tell(record: RawRecord, decoded: T): void {
    const { host, logger } = this.#parts;
    try {
      this.#parts.onRecord(record, decoded);
    } catch (thrown) {
      const { topic, partition, offset } = record;
      const { message, stack } = toError(thrown);
      logger.error({ topic, partition, offset, error: message, stack }, "a listener of a table threw");
    }
    const nowMs = host.elapsed();
    this.#readingMs += nowMs - this.#readAtMs;
    this.#readAtMs = nowMs;
  }

  get #isTurnOver(): boolean {
    return this.#inTurn >= RECORDS_A_TURN || this.#readingMs >= READING_MS;
  }

  /** The same turn for the readings of all partitions: those that it has no time for wait for the one after it. */
  #nextTurn(): Promise<void> {
    this.#turning ??= new Promise((resolve) => {
      this.#parts.host.setImmediate(() => {
        this.#inTurn = 0;
        this.#readingMs = 0;
        this.#turning = undefined;
        resolve();
      });
    });
    return this.#turning;
  }
}
