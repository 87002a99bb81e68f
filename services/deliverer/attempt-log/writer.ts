import { userIn } from "#contract";
import type { OutgoingRecord, Producer } from "#kafka";
import type { Serde } from "#serde";
import {
  type DeliveryAttempt,
  type DeliveryJob,
  type DeliveryTotal,
  NO_DETAILS,
  type TopicMap,
} from "#topics";
import type { WebhookResult } from "../outcomes.ts";
import type { Total } from "./totals.ts";

/** Gathers records and writes them a few times a second: batches cost a tenth of single records. */
export interface AttemptWriter {
  attempt(job: DeliveryJob, result: WebhookResult, suppressed: number): void;
  total(total: Total): void;
  /** Sends what was gathered. */
  send(): void;
}

export interface AttemptWriterOptions {
  readonly topics: Pick<TopicMap, "deliveryAttempts" | "deliveryTotals">;
  readonly serde: Pick<Serde, "encode">;
  readonly producer: Pick<Producer, "send" | "backlog">;
  /** Unique to this run of this process. */
  readonly writerId: string;
  /** Records that Kafka did not get: it was away for too long, or refused them. */
  readonly onDropped: (kind: RecordKind, count: number) => void;
  readonly bounds?: WriterBounds;
}

export type RecordKind = "attempt" | "total";

interface WriterBounds {
  /** Sent when so many have gathered, whatever the time. */
  readonly batchRecords: number;
  /**
   * The bytes of records that gather while Kafka is away. Totals may take twice as much: a later one cannot
   * make up for them.
   */
  readonly backlogBytes: number;
}

const BOUNDS: WriterBounds = { batchRecords: 500, backlogBytes: 8 * 1024 * 1024 };

export function createAttemptWriter(options: AttemptWriterOptions): AttemptWriter {
  const { topics, serde, producer, writerId, onDropped, bounds = BOUNDS } = options;
  const gathered: Record<RecordKind, OutgoingRecord[]> = { attempt: [], total: [] };
  let sequence = 0;

  function send(): void {
    for (const kind of ["attempt", "total"] as const) {
      const records = gathered[kind].splice(0);
      if (records.length > 0) producer.send(records).catch(() => onDropped(kind, records.length));
    }
  }

  function gather(kind: RecordKind, destinationId: string, encode: () => OutgoingRecord["value"]): void {
    const limitBytes = bounds.backlogBytes * (kind === "total" ? 2 : 1);
    if (producer.backlog.bytes >= limitBytes) {
      onDropped(kind, 1);
      return;
    }
    const topic = kind === "total" ? topics.deliveryTotals : topics.deliveryAttempts;
    sequence += 1;
    gathered[kind].push({ topic: topic.name, key: destinationId, value: encode() });
    if (gathered[kind].length >= bounds.batchRecords) send();
  }

  return {
    attempt(job, result, suppressed) {
      gather("attempt", job.destinationId, () =>
        serde.encode(
          topics.deliveryAttempts,
          attemptOf({ job, result, suppressed, writer: writerId, sequence }),
        ),
      );
    },
    total(total) {
      gather("total", total.destinationId, () => {
        const record: DeliveryTotal = { writer: writerId, sequence, ...total };
        return serde.encode(topics.deliveryTotals, record);
      });
    },
    send,
  };
}

interface AttemptParts {
  readonly job: DeliveryJob;
  readonly result: WebhookResult;
  readonly suppressed: number;
  readonly writer: string;
  readonly sequence: number;
}

function attemptOf({ job, result, suppressed, writer, sequence }: AttemptParts): DeliveryAttempt {
  const { jobId, destinationId, messageId, sourceId, type, replayId } = job;
  const { userId, anonymousId } = userIn(job);
  const { url, outcome, startedAtMs, durationMs, message } = result;
  return {
    writer,
    sequence,
    destinationId,
    jobId,
    messageId,
    sourceId,
    userId,
    anonymousId,
    type,
    url,
    attempt: job.attempts + 1,
    outcome: outcome.kind === "success" ? "success" : outcome.reason,
    retryable: outcome.kind === "retryable",
    status: "status" in outcome ? (outcome.status ?? null) : null,
    message: outcome.kind === "success" ? "" : message,
    startedAtMs: Math.round(startedAtMs),
    durationMs: Math.round(durationMs),
    replayId,
    suppressed,
    ...(result.details?.() ?? NO_DETAILS),
  };
}
