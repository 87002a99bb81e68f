import type { Host } from "#host";
import { backoffMs, isWorthLogging } from "../backoff.ts";
import { KafkaError, toError } from "../errors.ts";
import type { Claim, Ownership, Settle, Step } from "../runner-types.ts";
import type { Hold, KafkaLogger, OutgoingRecord, RawRecord, Received } from "../types.ts";
import type { Held } from "./held.ts";

/** A step may throw because of a state that passes. After this many throws it counts as a bug, and the record becomes a dead letter. */
const STEP_TRIES = 3;

const WRITE_RETRY_MS = { first: 200, max: 10_000 };

/** The work of a reader on its records. */
export interface Work<T> {
  decode(record: RawRecord): T | Promise<T>;
  readonly step: Step<T>;
  deadLetter(record: RawRecord | Received<T>, error: Error): readonly OutgoingRecord[];
  dueAtMs?: ((record: Received<T>) => number) | undefined;
  /** Resolves when the records are durable. `isAfter`: they are `produceAfter`. */
  write(records: readonly OutgoingRecord[], isAfter: boolean, hold: Hold): Promise<void>;
}

/** The parts that all records of a reader share. */
export interface SettlementParts<T> {
  readonly work: Pick<Work<T>, "step" | "deadLetter" | "write">;
  readonly logger: KafkaLogger;
  readonly host: Host;
  /** What the record becomes is to be written, and then that is over. */
  onWriting(): void;
  onWritten(): void;
  /** Called when the record's outcome is durable. */
  onDone(held: Held<T>): void;
  /** It was not worked on. */
  onGivenBack(held: Held<T>): void;
}

/**
 * Brings one record to its end, exactly once: steps it, or makes it a dead letter where it cannot be decoded; writes what it
 * becomes; says when that is durable; or gives it back where the partition was lost before that. Never throws, and gives up only when the
 * producer is closed: a record whose outcome cannot be written stays outstanding, and its offset uncommitted.
 */
export function settleRecord<T>(held: Held<T>, term: Ownership & Hold, parts: SettlementParts<T>): void {
  new Settlement(held, term, parts).run();
}

/** One object and one function a record: this is the hot path. */
class Settlement<T> implements Claim {
  readonly #held: Held<T>;
  readonly #term: Ownership & Hold;
  readonly #parts: SettlementParts<T>;
  #isSettled = false;
  #outcome: Parameters<Settle>[0] | undefined;
  /** What was to be written first is there. */
  #isAfter = false;
  #isUnwritten = false;

  constructor(held: Held<T>, term: Ownership & Hold, parts: SettlementParts<T>) {
    this.#held = held;
    this.#term = term;
    this.#parts = parts;
  }

  get isOurs(): boolean {
    return this.#term.isOurs;
  }

  giveBack(): void {
    if (this.#isSettled) this.#settledTwice();
    else {
      this.#isSettled = true;
      this.#parts.onGivenBack(this.#held);
      this.#leave();
    }
  }

  run(): void {
    const { received, poison } = this.#held;
    if (received === undefined) {
      this.#isSettled = true;
      this.#becomeDeadLetter(poison ?? new Error("undecodable"), 0);
      return;
    }
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.#parts.work.step(received, this.#settle, this);
        return;
      } catch (thrown) {
        if (this.#isSettled || attempt === STEP_TRIES) {
          this.#stepFailed(toError(thrown));
          return;
        }
      }
    }
  }

  readonly #settle: Settle = (outcome) => {
    if (this.#isSettled) return this.#settledTwice();
    this.#isSettled = true;
    this.#outcome = outcome;
    this.#write(outcome.produce, 0);
  };

  #settledTwice(): void {
    this.#parts.logger.error(this.#facts(), "a record was settled twice; the second outcome is ignored");
  }

  #stepFailed(error: Error): void {
    this.#parts.logger.error({ ...this.#facts(), error: error.message, stack: error.stack }, "a step threw");
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#becomeDeadLetter(error, 0);
  }

  #becomeDeadLetter(error: Error, failures: number): void {
    const { received, record } = this.#held;
    let records: readonly OutgoingRecord[];
    try {
      records = this.#parts.work.deadLetter(received ?? record, error);
    } catch (thrown) {
      this.#tryLater(failures + 1, thrown, (times) => this.#becomeDeadLetter(error, times));
      return;
    }
    this.#write(records, 0);
  }

  #write(records: readonly OutgoingRecord[], failures: number): void {
    if (records.length === 0) {
      this.#written();
      return;
    }
    if (!this.#isUnwritten) this.#parts.onWriting();
    this.#isUnwritten = true;
    this.#parts.work.write(records, this.#isAfter, this.#term).then(
      () => this.#written(),
      (thrown: unknown) => this.#tryLater(failures + 1, thrown, (times) => this.#write(records, times)),
    );
  }

  #written(): void {
    const after = this.#outcome?.produceAfter;
    if (after === undefined || this.#isAfter) {
      this.#end();
      return;
    }
    this.#isAfter = true;
    this.#write([after], 0);
  }

  #end(): void {
    try {
      this.#outcome?.onDurable?.();
    } catch (thrown) {
      const { message, stack } = toError(thrown);
      this.#parts.logger.error({ ...this.#facts(), error: message, stack }, "the end of a record threw");
    }
    this.#parts.onDone(this.#held);
    this.#leave();
  }

  #leave(): void {
    if (this.#isUnwritten) this.#parts.onWritten();
    this.#isUnwritten = false;
  }

  #tryLater(failures: number, thrown: unknown, again: (failures: number) => void): void {
    // The member has stopped, and said so once for all of its records.
    const code = thrown instanceof KafkaError ? thrown.code : undefined;
    if (code === "closed") return;
    if (code === "aborted") {
      this.#lost();
      return;
    }
    if (isWorthLogging(failures)) {
      const facts = { ...this.#facts(), failures, error: toError(thrown).message };
      this.#parts.logger.error(facts, "what a record becomes could not be written; it stays uncommitted");
    }
    const { host } = this.#parts;
    host.setTimeout(() => again(failures), backoffMs(failures, WRITE_RETRY_MS, host));
  }

  #lost(): void {
    this.#isSettled = false;
    if (this.#outcome?.giveBack === undefined) this.giveBack();
    else this.#outcome.giveBack();
  }

  #facts(): { topic: string; partition: number; offset: number } {
    const { topic, partition, offset } = this.#held.record;
    return { topic, partition, offset };
  }
}
