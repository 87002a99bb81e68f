// Exactly one process works on what a record asks for: the one whose member of the consumer group has the record's partition. The record is
// not settled, so not committed, before the work has ended: whoever gets the partition after a crash reads it again and goes on.
import type { Host } from "#host";
import type { Claim, Hold, OutgoingRecord, Producer, Settle, Step, TopicPartition } from "#kafka";

/** What work in hand is done with. */
interface Owned {
  /** Aborted when the work has to end early. */
  readonly signal: AbortSignal;
  /**
   * Resolves when Kafka has the records. Nothing is sent again once the work may be another process's, which does again all that is not noted:
   * what would be written behind it then could undo something later.
   */
  readonly write: (records: readonly OutgoingRecord[]) => Promise<void>;
}

export interface OwnerOptions<T> {
  /** False for a record that says that the work has ended. */
  readonly isOpen: (record: T) => boolean;
  /** Resolves when the work has ended; rejects to be tried again. */
  readonly work: (id: string, owned: Owned) => Promise<void>;
  readonly producer: Pick<Producer, "send" | "giveUpLost">;
  readonly host: Pick<Host, "delay">;
  readonly onFailed: (id: string, error: unknown) => void;
  readonly retryAfterMs?: number;
}

interface HeldRecord {
  readonly settle: Settle;
  readonly claim: Claim;
}

/** Work whose records this process holds. */
interface WorkInProgress extends Hold {
  readonly partition: number;
  /** The one that the work begins with: nothing behind it is committed before the work has ended. */
  readonly first: HeldRecord;
  /** The last one that came meanwhile. */
  newer: HeldRecord | undefined;
  readonly ending: AbortController;
  isHeld: boolean;
}

const RETRY_AFTER_MS = 5_000;

/** Work that is not sure to be ours any more is begun by another process some seconds later. */
const LOOK_EVERY_MS = 250;

export class WorkOwner<T extends { readonly id: string }> {
  readonly #options: OwnerOptions<T>;
  /** By id. */
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
    // Its end, or its removal.
    if (record === undefined || !this.#options.isOpen(record)) {
      settle({ produce: [] });
      return;
    }
    const first = { settle, claim };
    const before = this.#inProgress.get(record.id);
    if (before !== undefined) {
      before.newer?.settle({ produce: [] });
      before.newer = first;
      return;
    }
    const ending = new AbortController();
    const hand: WorkInProgress = { partition, first, newer: undefined, ending, isHeld: true };
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
    hand.isHeld = false;
    this.#options.producer.giveUpLost();
    hand.first.claim.giveBack();
    hand.newer?.claim.giveBack();
  }

  #begin(id: string, hand: WorkInProgress): void {
    // The work of an earlier term may still be writing how far it came: this one goes on from there.
    const before = this.#working.get(id);
    const work = (): Promise<void> => this.#work(id, hand);
    const working = (before === undefined ? work() : before.then(work)).then(() => {
      if (this.#working.get(id) === working) this.#working.delete(id);
    });
    this.#working.set(id, working);
  }

  /** Resolves when the work has ended, or is let go of. */
  async #work(id: string, hand: WorkInProgress): Promise<void> {
    const { host, onFailed, retryAfterMs = RETRY_AFTER_MS } = this.#options;
    const { signal } = hand.ending;
    while (!signal.aborted) {
      const { newer } = hand;
      try {
        await this.#watched(id, hand);
        // A record that came meanwhile may ask for what the work had passed by then. Mostly it is the work's own progress, and there is nothing to do.
        if (!signal.aborted && hand.newer === newer) this.#settle(id, hand);
        if (this.#inProgress.get(id) !== hand) return;
      } catch (error) {
        if (signal.aborted) return;
        onFailed(id, error);
        await host.delay(retryAfterMs, signal).catch(() => undefined);
      }
    }
  }

  /** The work, let go of as soon as its partition may be another's: a process that was cut off goes on without hearing so. */
  async #watched(id: string, hand: WorkInProgress): Promise<void> {
    const { host, producer, work } = this.#options;
    const { signal } = hand.ending;
    const write: Owned["write"] = (records) => producer.send(records, hand);
    const over = new AbortController();
    const ending = AbortSignal.any([signal, over.signal]);
    const watch = async (): Promise<void> => {
      while (!ending.aborted) {
        await host.delay(LOOK_EVERY_MS, ending).catch(() => undefined);
        if (!ending.aborted && !hand.first.claim.isOurs) this.#letGo(id, hand);
      }
    };
    void watch();
    await work(id, { signal, write }).finally(() => over.abort());
  }

  #settle(id: string, hand: WorkInProgress): void {
    this.#inProgress.delete(id);
    hand.first.settle({ produce: [] });
    hand.newer?.settle({ produce: [] });
  }
}
