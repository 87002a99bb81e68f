import { join } from "node:path";
import type { RawRecord, Received, TopicPartition } from "#kafka";
import type { Call } from "#topics";
import { type Judging, PartitionDedupe, type PartitionDedupeOptions } from "./partition-dedupe.ts";

/** Partitions that are rebuilt at a time: while one waits for its broker or its disk the others go on. Each holds 1 MiB. */
const REBUILT_AT_A_TIME = 4;

/** The duplicate windows of the assigned partitions (contract 1.8). */
export interface DedupeWindows {
  /** Says what the record is: at once, or later when its window has yet to be brought up to it. */
  note(record: Received<Call>, judging: Judging): void;
  /** The record could not be decoded and has no id. */
  skip(record: RawRecord): void;
  /** Resolves when the partition's window reaches the committed offset, and as soon as the partition is revoked. */
  open(partition: Pick<TopicPartition, "partition">): Promise<void>;
  /** Gives back what waits for the windows of these partitions. */
  revoked(partitions: readonly Pick<TopicPartition, "partition">[]): void;
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
  /** Openings by owner, not by partition: that may be lost and come back while its first opening ends. */
  const opening = new Map<PartitionDedupe, number>();
  const rebuilds = createQueue(REBUILT_AT_A_TIME);
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
    const dedupe = own(partition);
    opening.set(dedupe, partition);
    try {
      await rebuilds.run(() => dedupe.open());
    } finally {
      opening.delete(dedupe);
    }
  }

  function disown(partition: number): Promise<void> {
    const dedupe = owned.get(partition);
    owned.delete(partition);
    if (dedupe === undefined) return Promise.resolve();
    opening.delete(dedupe);
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
    note(record, judging) {
      const dedupe = owned.get(record.partition);
      if (dedupe === undefined) judging.giveBack();
      else dedupe.note(record, judging);
    },
    skip: ({ partition, offset }) => owned.get(partition)?.skip(offset),
    open: ({ partition }) => open(partition),
    revoked(partitions) {
      for (const { partition } of partitions) void disown(partition);
    },
    get opening() {
      return [...opening].map(([{ progress }, partition]) => {
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

/** Runs so much work at a time; the rest waits, in order. */
function createQueue(atATime: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return {
    async run(work: () => Promise<void>): Promise<void> {
      if (running < atATime) running += 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        await work();
      } finally {
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
