import { atPartition } from "#kafka";
import { discardFiles, type GuardedOptions, openGuarded } from "../guarded-files.ts";
import { catchUp } from "./catch-up.ts";
import { PartitionStore } from "./partition-store.ts";
import type { StoreOptions } from "./store-options.ts";
import { type Checkpoint, StoreTable } from "./store-table.ts";

/** Tombstones are kept for seven days: who was away for longer may have missed one. */
const CHECKPOINT_HOLDS_MS = 6 * 86_400_000;

/** The disk on which stores keep their files. */
export interface StoreDisk {
  /** Opens the files of one partition, empty ones where they are missing or damaged. Throws when the disk refuses. */
  open<T>(options: GuardedOptions<T>): T;
  /** Removes files that are not open. */
  discard(directory: string): void;
}

/** The machine's own. */
const LOCAL_FILES: StoreDisk = { open: (options) => openGuarded(options), discard: discardFiles };

function openTable(disk: StoreDisk, { directory, onDiscarded }: StoreOptions): StoreTable {
  return disk.open({ directory, onDiscarded, use: (files) => new StoreTable(files) });
}

/** Why what is on disk cannot be what the changelog below the checkpoint says; undefined when it can. */
async function doubtAbout(
  checkpoint: Checkpoint,
  { low, high }: { low: number; high: number },
  options: StoreOptions,
): Promise<string | undefined> {
  const { kafka, now, partition, topic } = options;
  if (checkpoint.topic !== topic) return `the files are those of ${checkpoint.topic}`;
  if (checkpoint.offset < low || checkpoint.offset > high)
    return `the changelog goes from ${low} to ${high}, the files to ${checkpoint.offset}`;
  if (now() - checkpoint.atMs > CHECKPOINT_HOLDS_MS) return "the files are too old";
  const { seen } = checkpoint;
  if (seen === null) return undefined;
  let isOther = false;
  await kafka.readRange({
    topic,
    partition,
    fromOffset: seen.offset,
    toOffset: seen.offset + 1,
    // Compaction may have removed it: then nothing speaks against the files.
    onRecord: ({ timestampMs }) => {
      isOther = timestampMs !== seen.timestampMs;
    },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return isOther ? "the changelog was created again" : undefined;
}

/**
 * Opens a partition and brings it up to the changelog's present end: from the checkpoint on, or whole where the files are missing, damaged
 * or another cluster's. One process at a time should have the directory open. Rejects when the disk refuses, and when the signal is aborted;
 * what was restored by then is there at the next try.
 */
export type OpenStore = (options: StoreOptions) => Promise<PartitionStore>;

/** Opens stores on this disk. */
export function storesOn(disk: StoreDisk): OpenStore {
  return (options) => openOn(disk, options);
}

/** Opens stores on the machine's own disk. */
export const openStore: OpenStore = storesOn(LOCAL_FILES);

async function openOn(disk: StoreDisk, options: StoreOptions): Promise<PartitionStore> {
  const { admin, onProgress, partition, signal, topic } = options;
  let table = openTable(disk, options);
  try {
    const bounds = atPartition(await admin.offsets(topic, partition), partition);
    const checkpoint = table.checkpoint();
    const doubt = checkpoint && (await doubtAbout(checkpoint, bounds, options));
    if (doubt !== undefined) {
      options.onDiscarded(new Error(doubt));
      await table.close();
      disk.discard(options.directory);
      table = openTable(disk, options);
    }
    const fromOffset = table.checkpoint()?.offset ?? bounds.low;
    const total = bounds.high - fromOffset;
    onProgress?.(0, total);
    if (total > 0)
      await catchUp(
        { ...options, table, onProgress: (done) => onProgress?.(done, total) },
        { fromOffset, toOffset: bounds.high, signal },
      );
    signal?.throwIfAborted();
    return new PartitionStore(options, table);
  } catch (error) {
    await table.close();
    throw error;
  }
}
