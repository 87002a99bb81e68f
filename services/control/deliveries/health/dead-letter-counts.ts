// Dead letters of a destination are reported at once, then once a minute with how many have come (contract 4.5). Pure but for what it is
// given to call.
import type { DeadLetterCount } from "./events.ts";

export interface DeadLetterSeen {
  readonly destinationId: string;
  readonly partition: number;
  /** topic-partition-offset. */
  readonly origin: string;
  readonly reason: string;
  readonly deadAtMs: number;
}

/** What becomes of a dead letter's record: exactly one of the two is called, once. */
export interface Counting {
  /** Lets its offset be committed. */
  done(): void;
  /** Its partition was lost before it was reported: its next owner reads it again. */
  giveBack(): void;
}

/** Announces, then lets the first of the letters be done; or gives it back. */
export type Announce = (destinationId: string, letters: DeadLetterCount, first: Counting) => void;

interface Window {
  readonly partition: number;
  readonly endsAtMs: number;
  /** Come since the last announcement, and the first of them. */
  waiting: { letters: DeadLetterCount; readonly first: Counting } | undefined;
}

const WINDOW_MS = 60_000;

/**
 * The first dead letter that was not announced yet stays undone until it is, so that after a crash the count begins with it again; all
 * others are done at once. Times are the process's own (`Host.elapsed`): a clock that is set forward and back would hold that one, and the
 * commit with it, for the whole jump. Memory is one small window for each destination with dead letters in the last minute.
 */
export class DeadLetterCounts {
  readonly #announce: Announce;
  readonly #windows = new Map<string, Window>();

  constructor(announce: Announce) {
    this.#announce = announce;
  }

  add(letter: DeadLetterSeen, elapsedMs: number, counting: Counting): void {
    const { destinationId, partition } = letter;
    const window = this.#windows.get(destinationId);
    if (window === undefined) {
      this.#windows.set(destinationId, { partition, endsAtMs: elapsedMs + WINDOW_MS, waiting: undefined });
      this.#announce(destinationId, counted(undefined, letter), counting);
    } else if (window.waiting === undefined) {
      window.waiting = { letters: counted(undefined, letter), first: counting };
    } else {
      window.waiting = { ...window.waiting, letters: counted(window.waiting.letters, letter) };
      counting.done();
    }
  }

  /** Announces what has gathered in windows that are over. */
  tick(elapsedMs: number): void {
    for (const [destinationId, { partition, endsAtMs, waiting }] of this.#windows) {
      if (endsAtMs > elapsedMs) continue;
      this.#windows.delete(destinationId);
      if (waiting === undefined) continue;
      this.#windows.set(destinationId, { partition, endsAtMs: elapsedMs + WINDOW_MS, waiting: undefined });
      this.#announce(destinationId, waiting.letters, waiting.first);
    }
  }

  /** These partitions are another process's now, which counts from the first that was not announced. */
  forget(partitions: ReadonlySet<number>): void {
    for (const [destinationId, { partition, waiting }] of this.#windows) {
      if (!partitions.has(partition)) continue;
      this.#windows.delete(destinationId);
      waiting?.first.giveBack();
    }
  }
}

function counted(
  before: DeadLetterCount | undefined,
  { origin, reason, deadAtMs }: DeadLetterSeen,
): DeadLetterCount {
  const nothing = { origin, count: 0, reasons: {}, fromMs: deadAtMs, toMs: deadAtMs };
  const so: DeadLetterCount = before ?? nothing;
  return {
    origin: so.origin,
    count: so.count + 1,
    reasons: { ...so.reasons, [reason]: (so.reasons[reason] ?? 0) + 1 },
    fromMs: Math.min(so.fromMs, deadAtMs),
    toMs: Math.max(so.toMs, deadAtMs),
  };
}
