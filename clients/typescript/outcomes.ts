import type { Batch } from "./batch.ts";
import { describeReason, type FailureReason } from "./failure.ts";
import type { CallType } from "./messages.ts";
import type { Options } from "./options.ts";
import type { Entry, StoreCalls } from "./store-calls.ts";

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
    this.#parts.store?.remove(entriesAt(batch, indexes));
  }

  /** These were not, and are not tried again. */
  failed(batch: Batch, indexes: readonly number[], reason: FailureReason): void {
    const isClosed = reason.kind === "closed";
    if (isClosed) this.unsent += indexes.length;
    const lost = indexes.filter((index) => !isClosed || batch.entries[index]?.isKept !== true);
    this.#handBack(batch, lost, reason);
    this.#say(lost.length, reason.kind === "copied" ? "not sent again" : "lost", reason);
    this.#say(indexes.length - lost.length, "left in the store", reason);
  }

  #say(count: number, what: string, reason: FailureReason): void {
    const { onError, log, isVerbose } = this.#parts;
    if (count > 0 && (onError === undefined || isVerbose))
      log(`hookline: ${count} messages ${what}: ${describeReason(reason)}`);
  }

  #handBack(batch: Batch, indexes: readonly number[], reason: FailureReason): void {
    const { store, onError, log } = this.#parts;
    // Before onError, which may send it again.
    store?.remove(entriesAt(batch, indexes));
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
  }
}

function entriesAt(batch: Batch, indexes: readonly number[]): Entry[] {
  return indexes.flatMap((index) => batch.entries[index] ?? []);
}
