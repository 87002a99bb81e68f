import { randomUUID } from "node:crypto";
import type { AdminClient } from "./admin-client.ts";
import { singlePartitionAssigner } from "./assigner-protocol.ts";
import { KafkaError } from "./errors.ts";
import { fetchOffsets } from "./offsets.ts";
import type { FetchedBatch, NewSession } from "./session.ts";
import { Supervisor } from "./supervisor.ts";
import type { KafkaLogger, ReadRangeOptions } from "./types.ts";

/** Long, because the reader of the records may hold the loop. */
const TIMEOUTS_MS = { sessionTimeoutMs: 60_000, rebalanceTimeoutMs: 60_000 };

export interface RangeParts {
  readonly newSession: NewSession;
  readonly admin: AdminClient;
  readonly clientId: string;
  readonly logger: KafkaLogger;
  now(): number;
}

/** Reads one stretch of one partition in a group of its own that commits nothing and is deleted afterwards (fact 15). */
export async function readRange(parts: RangeParts, options: ReadRangeOptions): Promise<void> {
  const { topic, partition } = options;
  const bounds = (await fetchOffsets(parts.admin, topic)).find((offsets) => offsets.partition === partition);
  if (bounds === undefined) {
    throw new KafkaError("unknown_topic", `${topic} has no partition ${partition}`, { canRetry: false });
  }
  const fromOffset = Math.max(options.fromOffset, bounds.low);
  const toOffset = Math.min(options.toOffset, bounds.high);
  if (fromOffset >= toOffset) return;
  const groupId = `${parts.clientId}-range-${topic}-${partition}-${randomUUID()}`;
  try {
    await readToEnd(parts, { ...options, fromOffset, toOffset }, groupId);
  } finally {
    await parts.admin.run((admin) => admin.deleteGroups([groupId]), 2).catch(() => undefined);
  }
}

async function readToEnd(parts: RangeParts, range: ReadRangeOptions, groupId: string): Promise<void> {
  const { topic, partition, toOffset, onRecord } = range;
  const ended = Promise.withResolvers<void>();
  let next = range.fromOffset;
  const take = async (batch: FetchedBatch): Promise<void> => {
    for (const record of batch.records) {
      if (record.offset < next || record.offset >= toOffset) continue;
      await onRecord(record);
      next = record.offset + 1;
    }
    if (batch.nextOffset >= toOffset) ended.resolve();
  };
  const supervisor: Supervisor = new Supervisor(
    parts,
    { groupId, topics: [topic], ...TIMEOUTS_MS, assigner: singlePartitionAssigner({ topic, partition }) },
    {
      onJoin: () => supervisor.session?.seek({ topic, partition, offset: next }),
      onRebalancing: () => undefined,
      // A reader's error ends the reading; it must not look like one of the client's, which would be tried again.
      onBatch: (batch) => take(batch).catch((thrown: unknown) => ended.reject(thrown)),
    },
  );
  supervisor.start();
  try {
    await Promise.race([ended.promise, supervisor.failed]);
  } finally {
    await supervisor.stop();
  }
}
