// Attempts and dead letters as they come: each destination's are in one partition, so one control process is responsible for it. A dead letter that
// its partition did not take is reported by who reads it.
import { WINDOW_MS } from "#contract";
import type { Host } from "#host";
import type { Received, Step } from "#kafka";
import { countRecordsLost, type Logger, type Metrics } from "#runtime";
import type { Serde } from "#serde";
import type { DeadLetter, DeliveryAttempt, TopicMap } from "#topics";
import type { OwnedWork } from "../../records/durable-work/owned-work.ts";
import type { DeadLetterCounts } from "./dead-letter-counts.ts";
import type { HealthKeeper } from "./health-keeper.ts";

export interface HealthShareParts {
  readonly ownedWork: Pick<OwnedWork, "add">;
  readonly serde: Serde;
  readonly topics: Pick<TopicMap, "deliveryAttempts" | "deadLetters">;
  readonly keeper: HealthKeeper;
  readonly counts: DeadLetterCounts;
  /** Everything that an earlier owner of the partitions wrote can be read. */
  readonly readBack: () => Promise<void>;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly host: Pick<Host, "elapsed">;
  readonly nowMs: () => number;
}

/** Dead letters from before are history (contract 3.5). */
const MAX_AGE_MS = WINDOW_MS;
/** One dead letter a destination is held open for a minute, and attempts while what they led to is written. */
const MAX_OUTSTANDING = { records: 20_000, bytes: 64 * 1024 * 1024 };

/** Writing takes milliseconds; what is held open is read again by the next owner. */
const FINISH_MS = 1_000;

export function takePart(parts: HealthShareParts): void {
  const { ownedWork, serde, topics, keeper, counts, logger, metrics } = parts;
  const names = { attempts: topics.deliveryAttempts.name, deadLetters: topics.deadLetters.name };
  ownedWork.add<DeliveryAttempt | DeadLetter>({
    topics: [names.attempts, names.deadLetters],
    decode: ({ topic, value }) =>
      topic === names.attempts
        ? serde.decode(topics.deliveryAttempts, value)
        : serde.decode(topics.deadLetters, value),
    step: createStep(parts),
    deadLetter({ topic, partition, offset }, error) {
      logger.error({ err: error, topic, partition, offset }, "a record says nothing about health");
      return [];
    },
    maxOutstandingRecords: MAX_OUTSTANDING.records,
    maxOutstandingBytes: MAX_OUTSTANDING.bytes,
    finishMs: FINISH_MS,
    onAssigned: parts.readBack,
    // What is counted behind a dead letter that is held is counted from it on once more.
    stepsDoneAgain: true,
    onRecordsLost: countRecordsLost(metrics, [names.attempts, names.deadLetters]),
    onRevoked(partitions) {
      const of = (name: string) =>
        new Set(partitions.filter(({ topic }) => topic === name).map(({ partition }) => partition));
      keeper.forget(of(names.attempts));
      counts.forget(of(names.deadLetters));
    },
  });
}

function createStep({ keeper, counts, host, nowMs }: HealthShareParts): Step<DeliveryAttempt | DeadLetter> {
  return (record, settle, claim) => {
    const { decoded } = record;
    const done = (): void => settle({ produce: [] });
    if (!("deadAtMs" in decoded)) keeper.seen({ ...record, decoded }, done);
    else if (decoded.destinationId === null || nowMs() - decoded.deadAtMs > MAX_AGE_MS) done();
    else {
      const letter = deadLetterSeen(record, decoded, decoded.destinationId);
      counts.add(letter, host.elapsed(), { done, giveBack: () => claim.giveBack() });
    }
  };
}

function deadLetterSeen(
  { topic, partition, offset }: Received<unknown>,
  { reason, deadAtMs }: DeadLetter,
  destinationId: string,
) {
  return { destinationId, partition, origin: `${topic}-${partition}-${offset}`, reason, deadAtMs };
}
