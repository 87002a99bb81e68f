import { join } from "node:path";
import type { RawRecord, Received, TopicPartition } from "#kafka";
import type { Noted } from "#state";
import type { Call } from "#topics";
import { PartitionDedupe, type PartitionDedupeOptions } from "./partition-dedupe.ts";

/** Partitions that are rebuilt at a time: while one waits for its broker or its disk the others go on. Each holds 1 MiB. */
const REBUILT_AT_A_TIME = 4;

/** The duplicate windows of the assigned partitions (contract 1.8). */
export interface DedupeWindows {
  /**
   * Says what the record is: at once, or later when its window has yet to be brought up to it. Only in the second case
   * an error thrown by `use` goes to `fail`.
   */
  note(record: Received<Call>, use: (noted: Noted) => void, fail: (error: unknown) => void): void;
  /** The record could not be decoded and has no id. */
  skip(record: RawRecord): void;
  /** Resolves when the partitions' windows reach the committed offsets. */
  assigned(partitions: readonly TopicPartition[]): Promise<void>;
  revoked(partitions: readonly TopicPartition[]): void;
  /** Partitions whose windows are being opened, and how far a rebuild has come. */
  readonly opening: readonly string[];
  close(): Promise<void>;
}

export interface DedupeWindowsOptions extends Omit<PartitionDedupeOptions, "partition" | "after"> {
  /** Folder of all windows of this topic. */
  readonly directory: string;
}

export function createDedupeWindows(options: DedupeWindowsOptions): DedupeWindows {
  const owned = new Map<number, PartitionDedupe>();
  const opening = new Set<number>();
  /** A window that is still closing must not be opened a second time. */
  const closing = new Map<number, Promise<void>>();

  function own(partition: number): PartitionDedupe {
    let dedupe = owned.get(partition);
    if (dedupe === undefined) {
      const directory = join(options.directory, String(partition));
      dedupe = new PartitionDedupe({ ...options, partition, directory, after: closing.get(partition) });
      owned.set(partition, dedupe);
    }
    return dedupe;
  }

  async function open(partition: number): Promise<void> {
    opening.add(partition);
    try {
      await own(partition).open();
    } finally {
      opening.delete(partition);
    }
  }

  function disown(partition: number): Promise<void> {
    const dedupe = owned.get(partition);
    owned.delete(partition);
    if (dedupe === undefined) return Promise.resolve();
    const closed = dedupe
      .close()
      .catch((error: unknown) => options.onDiskError(error))
      .finally(() => {
        if (closing.get(partition) === closed) closing.delete(partition);
      });
    closing.set(partition, closed);
    return closed;
  }

  return {
    note: (record, use, fail) => own(record.partition).note(record, use, fail),
    skip: ({ partition, offset }) => own(partition).skip(offset),
    async assigned(partitions) {
      const queue = partitions.map(({ partition }) => partition);
      const work = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) await open(next);
      };
      await Promise.all(Array.from({ length: REBUILT_AT_A_TIME }, work));
    },
    revoked(partitions) {
      for (const { partition } of partitions) void disown(partition);
    },
    get opening() {
      return [...opening].map((partition) => {
        const progress = owned.get(partition)?.progress;
        return progress === undefined
          ? `${partition}`
          : `${partition} (${progress.read} of ${progress.total} calls)`;
      });
    },
    async close() {
      await Promise.all([...owned.keys()].map(disown));
      await Promise.all(closing.values());
    },
  };
}
