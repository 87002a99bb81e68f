// Exactly one process works on what a record asks for: the one whose member of the consumer group has the record's partition. The record is
// not settled, so not committed, before the work has ended: whoever gets the partition after a crash reads it again and goes on.
import type { Host } from "#host";
import type { Claim, Settle, Step, TopicPartition } from "#kafka";

export interface OwnerOptions<T> {
  /** False for a record that says that the work has ended. */
  readonly isOpen: (record: T) => boolean;
  /** Resolves when the work has ended; rejects to be tried again. Ends early with `signal`. */
  readonly work: (id: string, signal: AbortSignal) => Promise<void>;
  readonly host: Pick<Host, "delay">;
  readonly onFailed: (id: string, error: unknown) => void;
  readonly retryAfterMs?: number;
}

/** Work whose record this process holds. */
interface WorkInProgress {
  readonly partition: number;
  readonly settle: Settle;
  readonly claim: Claim;
  readonly ending: AbortController;
}

const RETRY_AFTER_MS = 5_000;

export class WorkOwner<T extends { readonly id: string }> {
  readonly #options: OwnerOptions<T>;
  readonly #inProgress = new Map<string, WorkInProgress>();
  /** Work that has not ended, by id; also what was let go of. */
  readonly #working = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(options: OwnerOptions<T>) {
    this.#options = options;
  }

  /** How much this process works on. */
  get running(): number {
    return this.#inProgress.size;
  }

  readonly step: Step<T | undefined> = ({ decoded: record, partition }, settle, claim) => {
    // Its own progress, its end, or its removal: the first record that says it is open is the one that is held.
    if (record === undefined || !this.#options.isOpen(record) || this.#inProgress.has(record.id)) {
      settle({ produce: [] });
      return;
    }
    const hand: WorkInProgress = { partition, settle, claim, ending: new AbortController() };
    if (this.#isStopping) hand.ending.abort();
    this.#inProgress.set(record.id, hand);
    this.#begin(record.id, hand);
  };

  /** Their work is let go of: whoever owns a partition reads its open records again, here as well as elsewhere. */
  revoked(partitions: readonly Pick<TopicPartition, "partition">[]): void {
    const numbers = new Set(partitions.map(({ partition }) => partition));
    for (const [id, hand] of this.#inProgress) if (numbers.has(hand.partition)) this.#letGo(id, hand);
  }

  /**
   * Resolves when no work is under way any more. The records stay in hand until their partitions are lost: one that is given back while
   * its partition is still read here comes again at once, and again, for ever.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { ending } of this.#inProgress.values()) ending.abort();
    await Promise.all(this.#working.values());
  }

  #letGo(id: string, hand: WorkInProgress): void {
    this.#inProgress.delete(id);
    hand.ending.abort();
    hand.claim.giveBack();
  }

  #begin(id: string, hand: WorkInProgress): void {
    const { signal } = hand.ending;
    // The work of an earlier term may still be writing how far it came: this one goes on from there.
    const before = this.#working.get(id);
    const work = (): Promise<boolean> => this.#work(id, signal);
    const working = (before === undefined ? work() : before.then(work)).then((hasEnded) => {
      if (this.#working.get(id) === working) this.#working.delete(id);
      if (!hasEnded || this.#inProgress.get(id) !== hand) return;
      this.#inProgress.delete(id);
      hand.settle({ produce: [] });
    });
    this.#working.set(id, working);
  }

  /** True when the work has ended. */
  async #work(id: string, signal: AbortSignal): Promise<boolean> {
    const { host, work, onFailed, retryAfterMs = RETRY_AFTER_MS } = this.#options;
    while (!signal.aborted) {
      try {
        await work(id, signal);
        return !signal.aborted;
      } catch (error) {
        if (signal.aborted) return false;
        onFailed(id, error);
        await host.delay(retryAfterMs, signal).catch(() => undefined);
      }
    }
    return false;
  }
}
