import type { Batch } from "./batch.ts";
import { describeReason, type FailureReason } from "./failure.ts";
import type { CallType } from "./messages.ts";
import type { Options } from "./options.ts";
import type { StoreCalls } from "./store.ts";

export interface OutcomesParts {
  readonly onError: Options["onError"];
  readonly store: StoreCalls | undefined;
  readonly log: (line: string) => void;
  readonly isVerbose: boolean;
}

/** What becomes of accepted messages: the store forgets them, or the caller gets them back. */
export class Outcomes {
  readonly #parts: OutcomesParts;
  /** How many were not delivered before the client was closed. */
  unsent = 0;

  constructor(parts: OutcomesParts) {
    this.#parts = parts;
  }

  /** These messages of a batch were taken by the endpoint. */
  delivered(batch: Batch, indexes: readonly number[]): void {
    this.#parts.store?.remove(idsAt(batch, indexes));
  }

  /** These were not, and are not tried again. */
  failed(batch: Batch, indexes: readonly number[], reason: FailureReason): void {
    const { store, onError, log, isVerbose } = this.#parts;
    if (reason.kind === "closed") this.unsent += indexes.length;
    const isKept = reason.kind === "closed" && store !== undefined;
    if (!isKept) this.#handBack(batch, indexes, reason);
    if (onError === undefined || isVerbose) {
      const what = isKept ? "left in the store" : "lost";
      log(`hookline: ${indexes.length} messages ${what}: ${describeReason(reason)}`);
    }
  }

  #handBack(batch: Batch, indexes: readonly number[], reason: FailureReason): void {
    const { store, onError, log } = this.#parts;
    for (const index of indexes) {
      const json = batch.message(index);
      // The client has written it, so it can be read.
      const { type } = JSON.parse(json) as { type: CallType };
      try {
        onError?.({ type, messageId: batch.ids[index] ?? "", json, reason });
      } catch (error) {
        log(`hookline: onError failed: ${String(error)}`);
      }
    }
    store?.remove(idsAt(batch, indexes));
  }
}

function idsAt(batch: Batch, indexes: readonly number[]): string[] {
  return indexes.map((index) => batch.ids[index] ?? "");
}
