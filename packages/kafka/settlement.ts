import { backoffMs } from "./backoff.ts";
import { toError } from "./errors.ts";
import { isWorthLogging } from "./repeated-warning.ts";
import type { KafkaLogger, OutgoingRecord, RawRecord, Settle } from "./types.ts";

/** A step that throws may have met a passing state; one that throws so often is a bug, and its record a dead letter. */
const STEP_TRIES = 3;

const WRITE_RETRY_MS = { first: 200, max: 10_000 };

export interface Settlement {
  readonly record: RawRecord;
  readonly work: {
    deadLetter(record: RawRecord, error: Error): readonly OutgoingRecord[];
    write(records: readonly OutgoingRecord[]): Promise<void>;
  };
  readonly logger: KafkaLogger;
  /** The record's step; without one the record is undecodable, for the reason in `error`. */
  readonly step?: (settle: Settle) => void;
  readonly error?: Error;
}

/**
 * Brings one record to its end, exactly once: steps it, writes what it becomes, and calls `onDone` when that is durable.
 * Never throws and never gives up: a record whose outcome cannot be written stays outstanding, and its offset uncommitted.
 */
export function settleRecord(settlement: Settlement, onDone: () => void): void {
  const { record, work, logger, step, error } = settlement;
  let isSettled = false;
  const settleOnce = (produce: () => readonly OutgoingRecord[], onDurable?: () => void): void => {
    if (isSettled) {
      logger.error(factsOf(record), "a record was settled twice; the second outcome is ignored");
      return;
    }
    isSettled = true;
    const done = (): void => {
      onDurable?.();
      onDone();
    };
    finish({ record, logger, produce, write: (records) => work.write(records), onDone: done }, 0);
  };
  if (step === undefined) {
    settleOnce(() => work.deadLetter(record, error ?? new Error("undecodable")));
    return;
  }
  const thrown = tryStep(
    step,
    ({ produce, onDurable }) => settleOnce(() => produce, onDurable),
    () => isSettled,
  );
  if (thrown === undefined) return;
  logger.error({ ...factsOf(record), error: thrown.message, stack: thrown.stack }, "a step threw");
  if (!isSettled) settleOnce(() => work.deadLetter(record, thrown));
}

/** What the step threw last, when it threw every time or after it had settled. */
function tryStep(
  step: (settle: Settle) => void,
  settle: Settle,
  isSettled: () => boolean,
): Error | undefined {
  let last: Error | undefined;
  for (let attempt = 0; attempt < STEP_TRIES; attempt += 1) {
    try {
      step(settle);
      return undefined;
    } catch (thrown) {
      last = toError(thrown);
      if (isSettled()) return last;
    }
  }
  return last;
}

interface Finish {
  readonly record: RawRecord;
  readonly logger: KafkaLogger;
  produce(): readonly OutgoingRecord[];
  write(records: readonly OutgoingRecord[]): Promise<void>;
  onDone(): void;
}

function finish(outcome: Finish, failures: number): void {
  let records: readonly OutgoingRecord[];
  try {
    records = outcome.produce();
  } catch (thrown) {
    tryLater(outcome, failures + 1, toError(thrown));
    return;
  }
  if (records.length === 0) {
    outcome.onDone();
    return;
  }
  outcome.write(records).then(
    () => outcome.onDone(),
    (thrown: unknown) => tryLater(outcome, failures + 1, toError(thrown)),
  );
}

function tryLater(outcome: Finish, failures: number, error: Error): void {
  const facts = { ...factsOf(outcome.record), failures, error: error.message };
  if (isWorthLogging(failures)) {
    outcome.logger.error(facts, "what a record becomes could not be written; it stays uncommitted");
  }
  setTimeout(() => finish(outcome, failures), backoffMs(failures, WRITE_RETRY_MS.first, WRITE_RETRY_MS.max));
}

function factsOf({ topic, partition, offset }: RawRecord): {
  topic: string;
  partition: number;
  offset: number;
} {
  return { topic, partition, offset };
}
