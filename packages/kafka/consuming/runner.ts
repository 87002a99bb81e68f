import type { Producers, Runner, RunnerOptions, Share, SharedRunnerOptions } from "../runner-types.ts";
import { GroupReader } from "./group-reader.ts";
import type { Work } from "./settlement.ts";
import type { ReaderShare } from "./shares.ts";
import { SuccessorReader, type SuccessorReaderParts } from "./successor-reader.ts";
import type { SupervisorParts } from "./supervisor.ts";

/** A consumer group member whose steps' outcomes are written before their offsets are committed. */
export function createRunner<T>(parts: SupervisorParts, options: RunnerOptions<T>): Runner {
  return new GroupReader<T>(parts, {
    ...options,
    shares: [writingShare(options, options)],
    giveUp: () => giveUp(options, parts),
  });
}

/** The same for several parts of a process, which share the group. */
export function createSharedRunner(parts: SuccessorReaderParts, options: SharedRunnerOptions): Runner {
  const shares = options.shares.map((share) => writingShare(share, options));
  return new SuccessorReader(parts, { ...options, shares, giveUp: () => giveUp(options, parts) });
}

function writingShare<T>(
  share: Omit<ReaderShare<T>, "work"> & Parameters<typeof workOf<T>>[0],
  producers: Producers,
): ReaderShare<T> {
  return {
    ...share,
    work: workOf(share, producers),
    onRevoked(partitions) {
      producers.producer.giveUpLost();
      share.onRevoked?.(partitions);
    },
  };
}

function giveUp(
  { groupId, producer, producerAfter }: Producers & Pick<RunnerOptions<unknown>, "groupId">,
  { logger }: Pick<SupervisorParts, "logger">,
): void {
  logger.warn({ groupId }, "steps have not ended before the stop: what they were about stays uncommitted");
  producer.giveUp();
  producerAfter?.giveUp();
}

/** A share beside others, of which each has records of its own type. */
export function shareOf<T>(share: Share<T>): Share<unknown> {
  return {
    ...share,
    // Whatever comes here is what its own `decode` has made.
    step: (record, settle, claim) => share.step(record as Parameters<typeof share.step>[0], settle, claim),
    deadLetter: (record, error) => share.deadLetter(record as Parameters<typeof share.deadLetter>[0], error),
  };
}

function workOf<T>(
  options: Pick<RunnerOptions<T>, "deadLetter" | "decode" | "dueAtMs" | "step">,
  { producer, producerAfter = producer }: Producers,
): Work<T> {
  return {
    decode: (record) => options.decode(record),
    step: (record, settle, claim) => options.step(record, settle, claim),
    deadLetter: (record, error) => options.deadLetter(record, error),
    dueAtMs: options.dueAtMs === undefined ? undefined : (record) => options.dueAtMs?.(record) ?? 0,
    // What is written after the rest may come late.
    write: (records, isAfter, hold) => (isAfter ? producerAfter.send(records) : producer.send(records, hold)),
  };
}
