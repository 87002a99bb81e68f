// Exactly one process works on a replay: the one whose member of the consumer group has the partition of its record. The record is not
// settled, so not committed, before the replay has ended: whoever gets the partition after a crash reads it again and goes on.
import type { Host } from "#host";
import type { Settle, Step, TopicPartition } from "#kafka";
import type { Replay } from "#topics";

export interface OwnerOptions {
  /** Resolves when the replay has ended; rejects to be tried again. Ends early with `signal`. */
  readonly work: (id: string, signal: AbortSignal) => Promise<void>;
  readonly host: Pick<Host, "delay">;
  readonly onFailed: (id: string, error: unknown) => void;
  readonly retryAfterMs?: number;
}

interface Hand {
  readonly partition: number;
  readonly settle: Settle;
  /** Undefined while somebody else has the partition. */
  working: { readonly ending: AbortController; readonly ended: Promise<void> } | undefined;
}

const RETRY_AFTER_MS = 5_000;

export class ReplayOwner {
  readonly #options: OwnerOptions;
  readonly #hands = new Map<string, Hand>();

  constructor(options: OwnerOptions) {
    this.#options = options;
  }

  /** Replays that this process works on. */
  get running(): number {
    return [...this.#hands.values()].filter(({ working }) => working !== undefined).length;
  }

  readonly step: Step<Replay | undefined> = ({ decoded: replay, partition }, settle) => {
    // Its own progress, its end, or its removal: the first record that says it is running is the one that is kept open.
    if (replay === undefined || replay.state !== "running" || this.#hands.has(replay.id)) {
      settle({ produce: [] });
      return;
    }
    const hand: Hand = { partition, settle, working: undefined };
    this.#hands.set(replay.id, hand);
    this.#begin(replay.id, hand);
  };

  /** What was left when a partition went away goes on when it comes back: its record is not read a second time here. */
  assigned(partitions: readonly Pick<TopicPartition, "partition">[]): void {
    for (const [id, hand] of this.#of(partitions)) if (hand.working === undefined) this.#begin(id, hand);
  }

  revoked(partitions: readonly Pick<TopicPartition, "partition">[]): void {
    for (const [, hand] of this.#of(partitions)) {
      hand.working?.ending.abort();
      hand.working = undefined;
    }
  }

  async stop(): Promise<void> {
    const working = [...this.#hands.values()].flatMap((hand) => hand.working ?? []);
    for (const { ending } of working) ending.abort();
    await Promise.all(working.map(({ ended }) => ended));
  }

  #of(partitions: readonly Pick<TopicPartition, "partition">[]): [string, Hand][] {
    const numbers = new Set(partitions.map(({ partition }) => partition));
    return [...this.#hands].filter(([, { partition }]) => numbers.has(partition));
  }

  #begin(id: string, hand: Hand): void {
    const ending = new AbortController();
    const ended = this.#work(id, ending.signal).then((hasEnded) => {
      if (!hasEnded || this.#hands.get(id) !== hand) return;
      this.#hands.delete(id);
      hand.settle({ produce: [] });
    });
    hand.working = { ending, ended };
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
