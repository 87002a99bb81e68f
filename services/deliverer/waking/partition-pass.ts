import type { Claim, Hold, Ownership, RawRecord, Settle } from "#kafka";
import type { DeliveryJob } from "#topics";
import type { Endpoints, Look, PassParts, PassResult, WakeRange } from "./parts.ts";
import type { WakeProgress } from "./progress.ts";
import type { ReaderJob } from "./reader-jobs.ts";
import type { OpenRequest } from "./retry-request.ts";
import { type Woken, WokenDestinations } from "./woken.ts";
import { untilWritten } from "./write.ts";

/**
 * Interval between cursors: a crash doubles what lies between two of them. Other processes' cursors are
 * written again as often.
 */
const CURSOR_INTERVAL_MS = 1_000;

/** The reader's jobs end within the time of a response; a pass does not wait for what lasts longer, its cursors stay before it. */
const WAIT_FOR_READER_MS = 10_000;

interface Bounds extends Omit<WakeRange, "onRecord">, Look {
  /** The number of the topic's partitions. */
  readonly partitions: number;
}

/** A job that the pass has taken. */
interface InHand {
  readonly record: RawRecord;
  /** The requests that mean the job. */
  readonly requests: readonly OpenRequest[];
  /** It is out of hand. */
  readonly over: () => void;
}

/** One pass's way through one partition of one retry topic. */
export class PartitionPass {
  readonly #bounds: Bounds;
  readonly #parts: PassParts;
  readonly #ownership: Ownership & Hold;
  readonly #destinations: WokenDestinations;
  /** The jobs that the topic's reader had in hand when this pass began, or had taken ahead of it. */
  readonly #readerJobs: ReaderJob[];
  readonly #idle = Promise.withResolvers<void>();
  #inHand = 0;
  /** First offset that was not looked at. */
  #readTo: number;
  #isRead = false;
  #cursorsAtMs: number;
  /** When the newest record that was looked at was written, by its writer's clock. */
  #newestMs = 0;

  constructor(bounds: Bounds, endpoints: Endpoints, parts: PassParts) {
    this.#bounds = bounds;
    this.#parts = parts;
    this.#destinations = new WokenDestinations(parts, endpoints, bounds.requests);
    this.#ownership = parts.ownership(bounds);
    this.#readerJobs = [...parts.readerJobs.of(bounds)];
    this.#readTo = bounds.fromOffset;
    this.#cursorsAtMs = parts.nowMs();
  }

  async run(): Promise<PassResult> {
    const { fromOffset, signal, toOffset } = this.#bounds;
    if (fromOffset < toOffset) await this.#read();
    if (!signal.aborted && this.#readTo < toOffset) this.#destinations.cut(this.#readTo);
    this.#isRead = true;
    if (this.#inHand > 0) await this.#idle.promise;
    await this.#readersEnd();
    await this.#writeCursors();
    this.#report();
    return this.#destinations.result();
  }

  async #read(): Promise<void> {
    const { signal } = this.#bounds;
    try {
      await this.#parts.readRange({ ...this.#bounds, onRecord: (record) => this.#look(record) });
    } catch (thrown) {
      // Jobs that were taken are brought to their end all the same.
      if (!signal.aborted) throw thrown;
    }
  }

  /** Waits until the reader's jobs that hold cursors back are out of its hand. */
  async #readersEnd(): Promise<void> {
    const held = this.#readerJobs.filter(({ destinationId }) => this.#destinations.isWoken(destinationId));
    if (held.length === 0) return;
    const { promise: tooLong, resolve } = Promise.withResolvers<void>();
    const timer = this.#parts.host.setTimeout(resolve, WAIT_FOR_READER_MS);
    await Promise.race([Promise.all(held.map((job) => job.over())), tooLong]);
    timer.clear();
  }

  #report(): void {
    const { beganAtMs, partition, partitions, requests, topic } = this.#bounds;
    for (const [destinationId, inHand] of this.#bounds.inHand) {
      const end = { beganAtMs, inHand, isWhole: this.#isWhole(destinationId) };
      for (const request of requests.get(destinationId) ?? [])
        request.passed({ topic, partition, partitions }, end);
    }
  }

  /** Tells whether nothing of the destination is left here that could have been taken. */
  #isWhole(destinationId: string): boolean {
    const isSeen =
      !this.#destinations.isCut && this.#readTo >= this.#bounds.toOffset && this.#ownership.isOurs;
    const isHeld = this.#readerJobs.some((job) => job.destinationId === destinationId && !job.isOver);
    return isSeen && !isHeld && this.#destinations.isWhole(destinationId);
  }

  /** Synchronous for what stays where it is, which may be a million records. */
  #look(record: RawRecord): void | Promise<void> {
    if (record.offset > this.#readTo) this.#destinations.cut(this.#readTo);
    this.#newestMs = Math.max(this.#newestMs, record.timestampMs);
    const destinationId = destinationOf(record);
    const woken = destinationId === undefined ? undefined : this.#destinations.of(destinationId);
    const stays =
      destinationId === undefined ||
      woken === undefined ||
      woken.progress.isStopped ||
      this.#parts.wasDone(record) ||
      this.#parts.cursors.isTaken({ ...record, destinationId });
    if (!stays) return this.#take(record, woken).then(() => this.#looked(record));
    this.#readTo = record.offset + 1;
  }

  async #looked({ offset }: RawRecord): Promise<void> {
    this.#readTo = offset + 1;
    if (this.#parts.nowMs() - this.#cursorsAtMs >= CURSOR_INTERVAL_MS) await this.#writeCursors();
  }

  async #take(record: RawRecord, woken: Woken): Promise<void> {
    const { endpoint, failedBeforeMs, progress } = woken;
    const job = await this.#decode(record, progress);
    if (job === undefined) return;
    const requests = woken.requests.filter((request) => request.means(job, record));
    if (requests.length === 0 && (job.failedAtMs ?? 0) > failedBeforeMs) return progress.leave(record.offset);
    // Nobody waits here for the destination's own limits, as jobs of others lie behind it; the next pass goes on.
    if (!this.#parts.room.hasTurn(job.destinationId)) return progress.putOff(record.offset);
    const hasRoom = await this.#parts.room.wait(endpoint, this.#bounds.signal);
    if (!hasRoom || !this.#ownership.isOurs) return progress.stop(record.offset);
    if (this.#isReaders(record) || !progress.take(record.offset)) return;
    const over = this.#begin(endpoint);
    // Due now, or the step would let it hop on.
    const dueAtMs = Math.min(job.dueAtMs, this.#parts.nowMs());
    const received = { ...record, decoded: { ...job, dueAtMs } };
    this.#parts.step(received, this.#settling({ record, requests, over }, woken), this.#claim(over));
  }

  /** True: the topic's reader has taken it meanwhile, and ends it. */
  #isReaders({ offset }: RawRecord): boolean {
    const { topic, partition } = this.#bounds;
    const { position, readerJobs } = this.#parts;
    if (!readerJobs.mayHaveTaken({ topic, partition, offset })) return false;
    const next = position({ topic, partition });
    if (next === undefined || next <= offset) return false;
    const job = readerJobs.at({ topic, partition, offset });
    if (job !== undefined) this.#readerJobs.push(job);
    return true;
  }

  #settling({ over, record, requests }: InHand, { isGone, progress }: Woken): Settle {
    const { cursors, doneEarly } = this.#parts;
    const destinationId = destinationOf(record) ?? "";
    return ({ produce, onDurable, giveBack }) => {
      // A refused write does not hold the pass up; until it is written no cursor goes past the job, and its
      // copies wait.
      void untilWritten(this.#parts, produce, over, this.#ownership).then((isWritten) => {
        if (!isWritten) return giveBack?.();
        onDurable?.();
        // A copy of a job that another record has brought ends with that one, and makes nothing durable of its own.
        if (onDurable !== undefined) for (const request of requests) request.took();
        doneEarly(record);
        cursors.took({ ...record, destinationId });
        progress.durable(record.offset, { isBack: produce.length > 0 && !isGone });
        over();
      });
    };
  }

  /** A claim for a job. A job that is given back stays where it is, and no cursor goes past it. */
  #claim(giveBack: () => void): Claim {
    const ownership = this.#ownership;
    return {
      get isOurs() {
        return ownership.isOurs;
      },
      giveBack,
    };
  }

  async #decode(record: RawRecord, progress: WakeProgress): Promise<DeliveryJob | undefined> {
    try {
      return await this.#parts.decode(record);
    } catch (thrown) {
      // A record that can never be read is left to the topic's reader, which makes a dead letter of it. No
      // cursor goes past one that may be read later.
      if (!isPoison(thrown)) progress.stop(record.offset);
      return undefined;
    }
  }

  /** A job is in hand until the returned function is called; only its first call counts. */
  #begin(endpoint: string): () => void {
    const ended = this.#parts.takenEarly(this.#bounds);
    let isInHand = true;
    this.#inHand += 1;
    return () => {
      if (!isInHand) return;
      isInHand = false;
      this.#inHand -= 1;
      ended();
      this.#parts.room.freed(endpoint);
      if (this.#isRead && this.#inHand === 0) this.#idle.resolve();
    };
  }

  #belowOffset(destinationId: string, { progress }: Woken): number {
    const notDurable = this.#readerJobs.filter(
      (job) => !job.isDurable && job.destinationId === destinationId,
    );
    return Math.min(progress.belowOffset(this.#readTo), ...notDurable.map(({ offset }) => offset));
  }

  async #writeCursors(): Promise<void> {
    this.#cursorsAtMs = this.#parts.nowMs();
    const { topic, partition } = this.#bounds;
    const advances: Promise<void>[] = [];
    for (const [destinationId, woken] of this.#destinations) {
      const belowOffset = woken === undefined ? 0 : this.#belowOffset(destinationId, woken);
      if (belowOffset > this.#bounds.fromOffset) {
        advances.push(
          this.#parts.cursors.advance({ destinationId, topic, partition, belowOffset, atMs: this.#newestMs }),
        );
      }
    }
    await Promise.all(advances);
  }
}

function isPoison(thrown: unknown): boolean {
  return typeof thrown === "object" && thrown !== null && "canRetry" in thrown && thrown.canRetry === false;
}

/** Reads the destination from the key, `destinationId:shard`, so that only what may be woken is decoded. */
function destinationOf({ key, value }: RawRecord): string | undefined {
  const end = key?.lastIndexOf(":") ?? -1;
  return key === null || value === null || end < 1 ? undefined : key.slice(0, end);
}
