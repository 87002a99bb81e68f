// Jobs that the reader of the retry topics has in hand. A pass begins behind them, and its cursors must not
// go past them: until the outcome of such a job is durable, its record is what brings it back after a crash,
// or when it is given back.
import type { Received, Settle, Step, TopicPartition } from "#kafka";
import type { DeliveryJob } from "#topics";

/** A job of a retry topic that its reader has taken in hand. */
export class ReaderJob {
  readonly destinationId: string;
  readonly offset: number;
  #isDurable = false;
  #isOver = false;
  #onOver: (() => void)[] = [];

  constructor(destinationId: string, offset: number) {
    this.destinationId = destinationId;
    this.offset = offset;
  }

  /** The job's outcome is on disk. */
  get isDurable(): boolean {
    return this.#isDurable;
  }

  /** It is out of the reader's hand. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when it is out of the reader's hand: durable, or given back. */
  async over(): Promise<void> {
    if (this.#isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onOver.push(resolve);
    await promise;
  }

  end(how: { readonly isDurable: boolean }): void {
    this.#isOver = true;
    this.#isDurable ||= how.isDurable;
    for (const resolve of this.#onOver.splice(0)) resolve();
  }
}

interface PartitionJobs {
  readonly inHand: Map<number, ReaderJob>;
  /** The offset behind the job that was taken last. */
  takenTo: number;
}

export class ReaderJobs {
  readonly #partitions = new Map<string, PartitionJobs>();

  /** Follows the reader's step from here on. A step that throws leaves its job in hand: its end is not seen here. */
  following(step: Step<DeliveryJob>): Step<DeliveryJob> {
    return (record, settle, claim) => {
      const job = this.#take(record);
      const leave = (isDurable: boolean) => this.#leave(record, job, isDurable);
      const followed: Settle = (outcome) =>
        settle({
          ...outcome,
          onDurable() {
            outcome.onDurable?.();
            leave(true);
          },
        });
      step(record, followed, {
        get isOurs() {
          return claim.isOurs;
        },
        giveBack() {
          leave(false);
          claim.giveBack();
        },
      });
    };
  }

  /** All that is in hand of a partition. */
  of(partition: TopicPartition): readonly ReaderJob[] {
    return [...(this.#partitions.get(keyOf(partition))?.inHand.values() ?? [])];
  }

  at({ offset, ...partition }: TopicPartition & { readonly offset: number }): ReaderJob | undefined {
    return this.#partitions.get(keyOf(partition))?.inHand.get(offset);
  }

  /** False: the reader has not come so far. True: it may have, or had in an earlier time with the partition. */
  mayHaveTaken({ offset, ...partition }: TopicPartition & { readonly offset: number }): boolean {
    return offset < (this.#partitions.get(keyOf(partition))?.takenTo ?? 0);
  }

  #take(record: Received<DeliveryJob>): ReaderJob {
    const key = keyOf(record);
    const jobs = this.#partitions.get(key) ?? { inHand: new Map(), takenTo: 0 };
    this.#partitions.set(key, jobs);
    const job = new ReaderJob(record.decoded.destinationId, record.offset);
    jobs.inHand.set(record.offset, job);
    jobs.takenTo = record.offset + 1;
    return job;
  }

  /**
   * Lets a job go, but no later one at the same offset: the partition may have gone and come back meanwhile,
   * or its log have been cut.
   */
  #leave(record: Received<DeliveryJob>, job: ReaderJob, isDurable: boolean): void {
    const inHand = this.#partitions.get(keyOf(record))?.inHand;
    if (inHand?.get(record.offset) === job) inHand.delete(record.offset);
    job.end({ isDurable });
  }
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}:${partition}`;
}
