// A call without a destination is dropped for good, so it waits for a look at the end of the configuration: the table may be behind
// while its session is renewed, and the call may have overtaken the destination that was made for it. So does a suppressed user's
// call, which may have overtaken the end of the suppression.
import type { Host } from "#host";
import type { Logger } from "#runtime";

/** Looks begin this long after each other at least: a source that nobody connected may send thousands of calls a second. */
const LOOK_EVERY_MS = 100;

/** The fate of a call that waits: either `decide` or `giveBack` is called, once. */
export interface Undecided {
  readonly partition: number;
  /** Whether it goes on, as far as was read: then it need not wait for another look. */
  isKept(): boolean;
  /** Everything that the configuration held when the call began to wait has been read. False: it is not ours, and `giveBack` is called after all. */
  decide(): boolean;
  /** The partition was lost before. */
  giveBack(): void;
}

export interface Confirmations {
  /** Whether calls of the source wait: later ones wait behind them, so that one user's calls keep their order. */
  has(sourceId: string): boolean;
  wait(sourceId: string, call: Undecided): void;
  revoked(partitions: readonly { readonly partition: number }[]): void;
}

export interface ConfirmationsOptions {
  /** Resolves when everything has been read that the configuration held at the call. Rejects when it can never be read again. */
  readonly look: () => Promise<void>;
  readonly host: Pick<Host, "elapsed" | "delay">;
  readonly logger: Pick<Logger, "error">;
}

interface Waiting extends Undecided {
  /** The number of looks that had begun when it came. */
  readonly looks: number;
}

export function createConfirmations({ look, host, logger }: ConfirmationsOptions): Confirmations {
  const bySource = new Map<string, Waiting[]>();
  let looks = 0;
  let isLooking = false;

  async function lookWhileNeeded(): Promise<void> {
    isLooking = true;
    while (bySource.size > 0) {
      looks += 1;
      const beganAtMs = host.elapsed();
      await look();
      for (const sourceId of [...bySource.keys()]) decideOf(sourceId);
      const leftMs = LOOK_EVERY_MS - (host.elapsed() - beganAtMs);
      if (leftMs > 0) await host.delay(leftMs);
    }
    isLooking = false;
  }

  /** Decides calls in their order, up to the first that came after the look had begun and may be dropped. */
  function decideOf(sourceId: string): void {
    for (;;) {
      const [head] = bySource.get(sourceId) ?? [];
      if (head === undefined) break;
      if (head.looks >= looks && !head.isKept()) return;
      bySource.get(sourceId)?.shift();
      if (head.decide()) continue;
      head.giveBack();
      // The calls behind it would be before it otherwise, when it comes again.
      giveBack([head]);
    }
    bySource.delete(sourceId);
  }

  function giveBack(partitions: readonly { readonly partition: number }[]): void {
    const lost = new Set(partitions.map(({ partition }) => partition));
    for (const [sourceId, waiting] of bySource) {
      const kept = waiting.filter(({ partition }) => !lost.has(partition));
      if (kept.length > 0) bySource.set(sourceId, kept);
      else bySource.delete(sourceId);
      for (const call of waiting) if (lost.has(call.partition)) call.giveBack();
    }
  }

  return {
    has: (sourceId) => bySource.has(sourceId),
    wait(sourceId, call) {
      const waiting = bySource.get(sourceId) ?? [];
      waiting.push({ ...call, looks });
      bySource.set(sourceId, waiting);
      if (isLooking) return;
      // A table that can never be read again ends the process; nothing is decided by it meanwhile.
      lookWhileNeeded().catch((error: unknown) => {
        if (bySource.size > 0) logger.error({ err: error }, "calls stay undecided");
      });
    },
    revoked: giveBack,
  };
}
