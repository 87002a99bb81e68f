// Exactly one process works on a replay: the one whose member of the consumer group has the partition of its record. The record is not
// settled, so not committed, before the replay has ended: whoever gets the partition after a crash reads it again and goes on.
import type { Host } from "#host";
import type { Claim, Settle, Step, TopicPartition } from "#kafka";
import type { Replay } from "#topics";

export interface OwnerOptions {
  /** Resolves when the replay has ended; rejects to be tried again. Ends early with `signal`. */
  readonly work: (id: string, signal: AbortSignal) => Promise<void>;
  readonly host: Pick<Host, "delay">;
  readonly onFailed: (id: string, error: unknown) => void;
  readonly retryAfterMs?: number;
}

/** A running replay whose record this process holds. */
interface ReplayInProgress {
  readonly partition: number;
  readonly settle: Settle;
  readonly claim: Claim;
  readonly ending: AbortController;
}

const RETRY_AFTER_MS = 5_000;

export class ReplayOwner {
  readonly #options: OwnerOptions;
  readonly #inProgress = new Map<string, ReplayInProgress>();
  /** Work that has not ended, by replay; also of replays that were let go of. */
  readonly #working = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(options: OwnerOptions) {
    this.#options = options;
  }

  /** Replays that this process works on. */
  get running(): number {
    return this.#inProgress.size;
  }

  readonly step: Step<Replay | undefined> = ({ decoded: replay, partition }, settle, claim) => {
    // Its own progress, its end, or its removal: the first record that says it is running is the one that is kept open.
    if (replay === undefined || replay.state !== "running" || this.#inProgress.has(replay.id)) {
      settle({ produce: [] });
      return;
    }
    const hand: ReplayInProgress = { partition, settle, claim, ending: new AbortController() };
    if (this.#isStopping) hand.ending.abort();
    this.#inProgress.set(replay.id, hand);
    this.#begin(replay.id, hand);
  };

  /** Their replays are let go of: who owns a partition reads the record of its running replay again, here as well as elsewhere. */
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

  #letGo(id: string, hand: ReplayInProgress): void {
    this.#inProgress.delete(id);
    hand.ending.abort();
    hand.claim.giveBack();
  }

  #begin(id: string, hand: ReplayInProgress): void {
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

  /** True when the replay has ended. */
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
