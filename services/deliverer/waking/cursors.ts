import type { OutgoingRecord, Table } from "#kafka";
import type { Serde } from "#serde";
import type { DeliveryWake, TopicMap } from "#topics";
import { TakenJobs } from "./taken.ts";

/** A job as it stands in a retry topic. */
interface WaitingJob {
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
  /** When it was written, by its writer's clock. */
  readonly timestampMs: number;
  readonly destinationId: string;
}

/** The waiting jobs that were taken care of ahead of their due time (schemas/delivery-wake.avsc). */
export interface WakeCursors {
  /** Its outcome is durable: the reader of the retry topic passes it over. */
  isTaken(job: WaitingJob): boolean;
  /** A pass of this process took it, durably: it counts as taken here, before a cursor covers it. */
  took(job: WaitingJob): void;
  /** Nothing is to be passed over. */
  readonly isEmpty: boolean;
  /** Takes effect in this process at once, and in every later owner of the partition when it is acknowledged. */
  advance(wake: DeliveryWake): Promise<void>;
  /** Forgets the cursors that `isPassed` says the reader of the retry topic is past, for good. */
  forget(
    isPassed: (place: Pick<DeliveryWake, "topic" | "partition" | "belowOffset">) => boolean,
  ): Promise<void>;
}

export interface WakeCursorsOptions {
  readonly table: Pick<Table<DeliveryWake>, "get" | "entries" | "size">;
  readonly topics: Pick<TopicMap, "deliveryWakes">;
  readonly serde: Pick<Serde, "encode">;
  write(records: readonly OutgoingRecord[]): Promise<void>;
}

export function wakeKey({
  destinationId,
  topic,
  partition,
}: Pick<DeliveryWake, "destinationId" | "topic" | "partition">): string {
  return `${destinationId}:${topic}:${partition}`;
}

export function createWakeCursors({ serde, table, topics, write }: WakeCursorsOptions): WakeCursors {
  const { deliveryWakes } = topics;
  /** Written here; they do not wait for the table to come round. */
  const own = new Map<string, DeliveryWake>();
  const taken = new TakenJobs();

  return {
    isTaken(job) {
      if (this.isEmpty) return false;
      const key = wakeKey(job);
      if (taken.has(key, job)) return true;
      return [own.get(key), table.get(key)].some(
        // A job written later than those of which the cursor speaks is none of them, whatever its offset: the log was cut, or its topic
        // created again.
        (wake) => wake !== undefined && job.offset < wake.belowOffset && job.timestampMs <= wake.atMs,
      );
    },
    took: (job) => taken.add(wakeKey(job), job),
    get isEmpty() {
      return own.size === 0 && table.size === 0 && taken.size === 0;
    },
    async advance(wake) {
      const key = wakeKey(wake);
      taken.forgetBelow(key, wake.belowOffset);
      // A pass begins where the topic's reader is, which may be below what an earlier pass took.
      if (wake.belowOffset <= Math.max(own.get(key)?.belowOffset ?? 0, table.get(key)?.belowOffset ?? 0))
        return;
      own.set(key, wake);
      await write([{ topic: deliveryWakes.name, key, value: serde.encode(deliveryWakes, wake) }]);
    },
    async forget(isPassed) {
      taken.forgetPassed(isPassed);
      const keys = new Set([...own.keys(), ...[...table.entries()].map(([key]) => key)]);
      // The newest known wake counts: the table may not have come round to what was written here.
      const passed = [...keys].filter((key) =>
        [own.get(key), table.get(key)].every((wake) => wake === undefined || isPassed(wake)),
      );
      for (const key of passed) own.delete(key);
      const tombstones = passed.map((key) => ({ topic: deliveryWakes.name, key, value: null }));
      if (tombstones.length > 0) await write(tombstones);
    },
  };
}
