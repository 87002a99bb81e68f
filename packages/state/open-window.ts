import type { DedupeWindow, DedupeWindowOptions } from "./dedupe-window.ts";
import { discardFiles, openGuarded, type WindowDoors } from "./guarded-files.ts";
import { PartitionWindow } from "./partition-window.ts";

/**
 * Opens a partition's window. One process at a time should have it open; two do no harm to the files. Throws when the disk refuses:
 * that says nothing about the files, which stay as they are.
 */
export function openDedupeWindow(options: DedupeWindowOptions, doors?: WindowDoors): DedupeWindow {
  const { directory } = options;
  return openGuarded(
    {
      directory,
      onDiscarded: (error) => options.onDiscarded(error),
      use: (files) => new PartitionWindow(options, files),
    },
    doors,
  );
}

/** The disk on which windows are kept. */
export interface WindowDisk {
  /** Opens a partition's window. One process at a time should have it open. */
  open(options: DedupeWindowOptions): DedupeWindow;
  /** Removes the files of a window that is not open. */
  discard(directory: string): void;
}

/** The machine's own. */
export const LOCAL_DISK: WindowDisk = {
  open: (options) => openDedupeWindow(options),
  discard: discardFiles,
};
